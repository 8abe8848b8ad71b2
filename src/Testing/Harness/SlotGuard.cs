using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Raceway.Rings;

namespace Raceway.Testing;

/// <summary>Finds a handler that writes to items which it was not given: those that it has passed, or that come later.</summary>
internal sealed class SlotGuard<T>
{
    private const int MostSlots = 1_024;
    private const int Looks = 4;

    private readonly RingBuffer<T> _ring;
    private readonly T[]? _copies;
    private long _first;
    private int _count;

    public SlotGuard(RingBuffer<T> ring)
    {
        _ring = ring;
        // Claims of several producers leave gaps, and lanes have sequences of their own.
        if (ring.Capacity <= MostSlots && ring.Options.Producers == ProducerKind.Single) _copies = new T[ring.Capacity];
    }

    /// <summary>Copies the items that are in the ring.</summary>
    public void Remember(long released)
    {
        if (_copies is null) return;
        _first = released + 1;
        _count = (int)_ring.Backlog;
        // Whole, with the bytes between fields, which an assignment may leave out.
        for (int i = 0; i < _count; i++) new ReadOnlySpan<T>(ref _ring.Slots[_first + i]).CopyTo(_copies.AsSpan(i, 1));
    }

    /// <summary>The first item outside the given ones that has changed since; null if none has. The copies are forgotten.</summary>
    public long? FindChanged(long firstGiven, long lastGiven)
    {
        if (_copies is null) return null;
        long? changed = null;
        for (int i = 0; i < _count; i++)
        {
            long sequence = _first + i;
            if ((sequence < firstGiven || sequence > lastGiven) && !Same(ref _copies[i], ref _ring.Slots[sequence])) changed ??= sequence;
        }

        // What the copies hold would count as kept.
        Array.Clear(_copies, 0, _count);
        return changed;
    }

    // As memory: not every struct can be compared by its fields.
    private static bool Same(ref T before, ref T now)
    {
        // The collector may move an object while two references to it are compared. It does not do so each time.
        for (int look = 0; look < Looks; look++)
            if (Bytes(ref before).SequenceEqual(Bytes(ref now))) return true;
        return false;
    }

    // SAFETY: the bytes of one slot, or of its copy, for the time of a comparison; they are only read.
    private static ReadOnlySpan<byte> Bytes(ref T slot) =>
        MemoryMarshal.CreateReadOnlySpan(ref Unsafe.As<T, byte>(ref slot), Unsafe.SizeOf<T>());
}
