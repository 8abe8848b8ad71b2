#if PEER_DISRUPTOR
using System.Runtime.CompilerServices;
using Disruptor;

namespace Raceway.Suites.RingSuite;

/// <summary>What the two kinds of rings of Disruptor-net have in common for a producer; structs, so that calls are direct.</summary>
internal interface IDisruptorRing<TSlot>
{
    long Next(int count);

    long Next();

    void Publish(long first, long last);

    void Publish(long sequence);

    ref TSlot At(long sequence);
}

/// <summary>A ring of values.</summary>
internal readonly struct DisruptorValues<TSlot>(ValueRingBuffer<TSlot> ring) : IDisruptorRing<TSlot>
    where TSlot : struct, ISlot<TSlot>
{
    public long Next(int count) => ring.Next(count);

    public long Next() => ring.Next();

    public void Publish(long first, long last) => ring.Publish(first, last);

    public void Publish(long sequence) => ring.Publish(sequence);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ref TSlot At(long sequence) => ref ring[sequence];
}

/// <summary>A ring of objects.</summary>
internal readonly struct DisruptorObjects<TSlot>(RingBuffer<DisruptorEvent<TSlot>> ring) : IDisruptorRing<TSlot>
    where TSlot : struct, ISlot<TSlot>
{
    public long Next(int count) => ring.Next(count);

    public long Next() => ring.Next();

    public void Publish(long first, long last) => ring.Publish(first, last);

    public void Publish(long sequence) => ring.Publish(sequence);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ref TSlot At(long sequence) => ref ring[sequence].Slot;
}

/// <summary>The ways in which a producer of Disruptor-net publishes its items.</summary>
/// <remarks>A wait for room cannot be cancelled, but it ends: the handlers go on until the producers are done.</remarks>
internal static class DisruptorPublishing
{
    /// <summary>One item.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void One<TSlot, TRing>(TRing ring, long item)
        where TSlot : struct, ISlot<TSlot>
        where TRing : struct, IDisruptorRing<TSlot>
    {
        long sequence = ring.Next();
        TSlot.Write(ref ring.At(sequence), item);
        ring.Publish(sequence);
    }

    /// <summary>One at a time.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Each<TSlot, TRing>(TRing ring, Feed feed, CancellationToken cancellation)
        where TSlot : struct, ISlot<TSlot>
        where TRing : struct, IDisruptorRing<TSlot>
    {
        for (int i = 1; feed.MoveNext(); i++)
        {
            One<TSlot, TRing>(ring, feed.Current);
            if (i % 1024 == 0) cancellation.ThrowIfCancellationRequested();
        }
    }

    /// <summary>Some at a time.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Groups<TSlot, TRing>(
        TRing ring, Feed feed, long items, int group, CancellationToken cancellation)
        where TSlot : struct, ISlot<TSlot>
        where TRing : struct, IDisruptorRing<TSlot>
    {
        // What is claimed must be published: the last group is what is left.
        for (long left = items; left > 0; left -= group)
        {
            int count = (int)Math.Min(group, left);
            long last = ring.Next(count);
            long first = last - count + 1;
            Fill<TSlot, TRing>(ring, first, last, ref feed);
            ring.Publish(first, last);
            cancellation.ThrowIfCancellationRequested();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Fill<TSlot, TRing>(TRing ring, long first, long last, ref Feed feed)
        where TSlot : struct, ISlot<TSlot>
        where TRing : struct, IDisruptorRing<TSlot>
    {
        Feed items = feed;
        for (long sequence = first; sequence <= last && items.MoveNext(); sequence++) TSlot.Write(ref ring.At(sequence), items.Current);
        feed = items;
    }
}
#endif
