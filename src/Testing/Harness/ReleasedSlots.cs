using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Raceway.Rings;

namespace Raceway.Testing;

/// <summary>Spoils the slots that every stage has passed, and finds what still holds the object of one.</summary>
internal sealed class ReleasedSlots<T>
{
    private const byte Spoiled = 0xDB;
    private const int FirstPruning = 4_096;

    private readonly RingBuffer<T> _ring;
    private readonly SlotAction<T>? _poison;
    private readonly Func<T>? _create;
    private readonly bool _spoils;
    private List<(long Sequence, WeakReference Object)> _objects = [];
    private int _pruneAt = FirstPruning;
    private long _through = -1;

    public ReleasedSlots(RingBuffer<T> ring, SlotAction<T>? poison)
    {
        _ring = ring;
        _poison = poison;
        var options = (RingOptions<T>)ring.Options;
        _create = typeof(T).IsValueType ? null : options.CreateSlot;
        // The ring finds a slot's payload through the slot; the lanes of a sharded ring have sequences of their own.
        _spoils = options.Payload is null && options.Producers != ProducerKind.Sharded;
    }

    /// <summary>The last sequence that every stage has passed.</summary>
    public long Through => _ring.Stages.Count == 0 ? -1 : _ring.Stages.Min(static stage => stage.Position);

    /// <summary>Spoils what has been released since the last call.</summary>
    public void Spoil()
    {
        if (!_spoils) return;
        long through = Through;
        // A slot that has been published again is another item's.
        long first = Math.Max(_through + 1, through + _ring.Backlog - _ring.Capacity + 1);
        for (long sequence = first; sequence <= through; sequence++) Spoil(sequence);
        _through = through;
    }

    /// <summary>The first sequence with an object that something still holds, and how many there are; null if there is none.</summary>
    public (long Sequence, int Count)? FindKept()
    {
        if (_objects.Count == 0) return null;
        Collect();
        _objects = [.. _objects.Where(static one => one.Object.IsAlive)];
        return _objects.Count == 0 ? null : (_objects[0].Sequence, _objects.Count);
    }

    // Not inlined: no frame that lives on has had the object.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Spoil(long sequence)
    {
        ref T slot = ref _ring.Slots[sequence];
        _poison?.Invoke(ref slot);
        if (_create is not null)
        {
            _objects.Add((sequence, new WeakReference(slot)));
            slot = _create();
            Prune();
        }
        else if (_poison is null && !RuntimeHelpers.IsReferenceOrContainsReferences<T>())
        {
            Bytes(ref slot).Fill(Spoiled);
        }
    }

    // SAFETY: the bytes of one slot of a type without references; the next item is written over all of them.
    private static Span<byte> Bytes(ref T slot) =>
        MemoryMarshal.CreateSpan(ref Unsafe.As<T, byte>(ref slot), Unsafe.SizeOf<T>());

    private void Prune()
    {
        if (_objects.Count < _pruneAt) return;
        _objects.RemoveAll(static one => !one.Object.IsAlive);
        _pruneAt = Math.Max(FirstPruning, 2 * _objects.Count);
    }

    private static void Collect()
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
        GC.Collect();
    }
}
