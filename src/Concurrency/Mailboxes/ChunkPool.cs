using System.Numerics;
using System.Runtime.CompilerServices;
using Raceway.Rings;

namespace Raceway.Concurrency;

/// <summary>The memory of chunks that are not in use, for all mailboxes of one message type.</summary>
/// <remarks>
/// <para>A stack for each size, under one lock: it is taken once a chunk, so once for hundreds of messages or more. A
/// mailbox that has nothing to do holds one chunk; a backlog takes from here what others have given back.</para>
/// <para><b>Bounded</b>: at most a sixteenth of the memory that the process may use. Of what was not needed during ten
/// seconds and more, half is given up, looked at when something comes back.</para>
/// </remarks>
internal static class ChunkPool<T>
{
    /// <summary>Bytes of the largest chunk: below what the runtime treats as a large object.</summary>
    private const int MostBytes = 64 * 1024;
    private const int Sizes = 17;

    private static readonly long s_reviewPeriod = Clock.Ticks(TimeSpan.FromSeconds(10));
    private static readonly Lock s_gate = new();
    private static readonly Stack<ChunkMemory<T>>[] s_idle = [.. Enumerable.Range(0, Sizes).Select(static _ => new Stack<ChunkMemory<T>>())];
    private static readonly int[] s_leastIdle = new int[Sizes];
    private static readonly long s_mostIdleBytes = GC.GetGCMemoryInfo().TotalAvailableMemoryBytes / 16;
    private static long s_idleBytes;
    private static long s_reviewed = MachineClock.Now;

    /// <summary>The most slots of a chunk.</summary>
    public static int MostSlots { get; } = (int)Math.Clamp(
        BitOperations.RoundUpToPowerOf2((uint)(MostBytes / Unsafe.SizeOf<T>()) + 1) / 2, 16, 8192);

    /// <summary>The slots of a chunk that continues another one; the first one may be smaller.</summary>
    public static int UsualSlots { get; } = Math.Clamp(MostSlots / 32, 16, 256);

    /// <summary>Memory with every stamp 0.</summary>
    /// <param name="slots">A power of two up to <see cref="MostSlots"/>.</param>
    public static ChunkMemory<T> Rent(int slots)
    {
        int size = BitOperations.Log2((uint)slots);
        ChunkMemory<T> memory;
        lock (s_gate)
        {
            if (!s_idle[size].TryPop(out memory)) memory = default;
            else s_idleBytes -= BytesOf(slots);
            s_leastIdle[size] = Math.Min(s_leastIdle[size], s_idle[size].Count);
        }

        if (memory.Items is null) return new ChunkMemory<T>(new T[slots], new byte[slots]);
        Array.Clear(memory.Stamps);
        // They hold nothing, but their lines lie with the processor that took messages out last. Written in a row they come
        // here together; one by one each would be waited for by the atomic operation of the next post.
        Array.Clear(memory.Items);
        return memory;
    }

    /// <summary>Takes memory back. Its slots hold no references any more.</summary>
    public static void Return(ChunkMemory<T> memory)
    {
        int slots = memory.Items.Length;
        lock (s_gate)
        {
            if (s_idleBytes + BytesOf(slots) <= s_mostIdleBytes)
            {
                s_idle[BitOperations.Log2((uint)slots)].Push(memory);
                s_idleBytes += BytesOf(slots);
            }

            long now = MachineClock.Now;
            if (now - s_reviewed < s_reviewPeriod) return;
            s_reviewed = now;
            Review();
        }
    }

    private static long BytesOf(int slots) => (long)slots * (Unsafe.SizeOf<T>() + 1);

    private static void Review()
    {
        for (int size = 0; size < Sizes; size++)
        {
            for (int surplus = (s_leastIdle[size] + 1) / 2; surplus > 0 && s_idle[size].TryPop(out _); surplus--)
                s_idleBytes -= BytesOf(1 << size);
            s_leastIdle[size] = s_idle[size].Count;
        }
    }
}
