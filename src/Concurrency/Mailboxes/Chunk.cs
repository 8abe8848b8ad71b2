using System.Numerics;
using System.Runtime.CompilerServices;

namespace Raceway.Concurrency;

/// <summary>A run of a mailbox's slots: sequences from a first one on, and for each whether its message is there.</summary>
/// <remarks>
/// The object belongs to one mailbox for good, its memory only while messages lie in it: posters may hold a chunk for a
/// moment longer than it lives. First sequence and length are one word, so a thread that reads them knows that both are of the same
/// life. A poster that has claimed a sequence of it keeps it alive, as it is not passed before that message is there.
/// </remarks>
internal sealed class Chunk<T>
{
    private const int LengthBits = 5;

    private long _range = long.MinValue;

    /// <summary>The slots.</summary>
    public T[] Items { get; private set; } = [];

    /// <summary>For each slot: 1 once its message is there.</summary>
    public byte[] Stamps { get; private set; } = [];

    /// <summary>The one behind it, once there is one.</summary>
    public Chunk<T>? Next;

    /// <summary>One past its last sequence.</summary>
    public long End => (_range >> LengthBits) + Items.Length;

    /// <summary>Begins a life: its slots are for the sequences from <paramref name="first"/> on.</summary>
    public void Begin(long first, in ChunkMemory<T> memory)
    {
        Items = memory.Items;
        Stamps = memory.Stamps;
        Next = null;
        // ORDER: release; pairs with Holds: a thread that finds its sequence in the range sees the arrays.
        Volatile.Write(ref _range, (first << LengthBits) | (uint)BitOperations.Log2((uint)memory.Items.Length));
    }

    /// <summary>Ends it; what it says of its range stays true of sequences that are gone for good.</summary>
    public ChunkMemory<T> EndLife()
    {
        var memory = new ChunkMemory<T>(Items, Stamps);
        Items = [];
        Stamps = [];
        Next = null;
        return memory;
    }

    /// <summary>First sequence and length in one word (acquire).</summary>
    public long Range => Volatile.Read(ref _range);

    /// <summary>Whether <paramref name="sequence"/> is in a range, and where.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool Holds(long range, long sequence, out int index)
    {
        long offset = sequence - (range >> LengthBits);
        index = (int)offset;
        return (ulong)offset < 1UL << (int)(range & ((1 << LengthBits) - 1));
    }
}

/// <summary>The memory of a chunk: as many slots as stamps, a power of two.</summary>
internal readonly record struct ChunkMemory<T>(T[] Items, byte[] Stamps);
