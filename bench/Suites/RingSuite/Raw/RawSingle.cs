using System.Runtime.CompilerServices;

namespace Raceway.Suites.RingSuite;

/// <summary>
/// Hand-written ring for one producer and one consumer: two padded counters, and the room known kept locally.
/// </summary>
internal sealed class RawSingle<TSlot>(RingLoad load, RoundThreads threads) : Transport<TSlot>(load, threads)
    where TSlot : unmanaged, ISlot<TSlot>
{
    private const long LargestBatch = 4096;
    private const double LongestPause = 10_000;

    private readonly RawRing<TSlot> _ring = new(load.Shape.Capacity);

    public override void AddProducer(int producer)
    {
        Feed feed = Load.FeedOf(producer);
        Threads.Add(() =>
        {
            Pacer pacer = Pacer.OfProducer(Shape.BusyThreads, Threads.Cancellation);
            if (Shape.PublishGroup > 1) ProduceGroups(_ring, feed, Shape.PublishGroup, pacer);
            else Produce(_ring, feed, pacer);
        });
    }

    public override void AddStage<TWork>(int stage, TWork work) => Threads.Add(() =>
        Consume(_ring, Load.Operations, work, Pacer.OfConsumer(Shape.BusyThreads, LongestPause, Threads.Cancellation))
            .Report(Load, stage));

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Produce(RawRing<TSlot> ring, Feed feed, Pacer pacer)
    {
        AlignedBlock<TSlot> slots = ring.Slots;
        (long capacity, long mask) = (ring.Capacity, ring.Capacity - 1);
        long limit = capacity;
        for (long next = 0; feed.MoveNext(); next++)
        {
            if (next >= limit) limit = pacer.AwaitRoom(ref ring.Consumed.Value, next, capacity);
            TSlot.Write(ref slots[next & mask], feed.Current);
            Volatile.Write(ref ring.Published.Value, next + 1);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void ProduceGroups(RawRing<TSlot> ring, Feed feed, int group, Pacer pacer)
    {
        long capacity = ring.Capacity;
        long limit = capacity;
        long end = 0;
        for (long next = 0; next == end;)
        {
            end = next + group;
            if (end > limit) limit = pacer.AwaitRoom(ref ring.Consumed.Value, end - 1, capacity);
            next = Fill(ring.Slots, capacity - 1, next, end, ref feed);
            Volatile.Write(ref ring.Published.Value, next);
        }
    }

    // Returns the slot behind the last one that has an item.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static long Fill(AlignedBlock<TSlot> slots, long mask, long next, long end, ref Feed feed)
    {
        Feed items = feed;
        for (; next < end && items.MoveNext(); next++) TSlot.Write(ref slots[next & mask], items.Current);
        feed = items;
        return next;
    }

    private static TWork Consume<TWork>(RawRing<TSlot> ring, long items, TWork work, Pacer pacer)
        where TWork : struct, IStageWork<TSlot>
    {
        AlignedBlock<TSlot> slots = ring.Slots;
        long mask = ring.Capacity - 1;
        long next = 0;
        while (next < items)
        {
            long start = next;
            long end = Math.Min(Volatile.Read(ref ring.Published.Value), start + LargestBatch);
            if (end == start)
            {
                pacer.Idle();
                continue;
            }

            for (; next < end; next++) Beside.Take(ref work, ref slots[next & mask]);
            Volatile.Write(ref ring.Consumed.Value, next);
            pacer.Worked(end - start);
        }

        return work;
    }
}

/// <summary>The same ring for latency: its consumer polls without a pause. The floor.</summary>
internal sealed class RawPolling(RingLoad load, RoundThreads threads) : Transport<Number>(load, threads)
{
    private const int Patience = 20_000;

    private readonly RawRing<Number> _ring = new(load.Shape.Capacity);

    public override void AddSender(LatencyRound round) => Threads.Add(() =>
        round.Send(new Sender(_ring, Pacer.OfProducer(Shape.BusyThreads, Threads.Cancellation))));

    public override void AddStage<TWork>(int stage, TWork work) => Threads.Add(() =>
        Consume(_ring, Load.Operations, work, Threads.Cancellation).Report(Load, stage));

    private static TWork Consume<TWork>(RawRing<Number> ring, long items, TWork work, CancellationToken cancellation)
        where TWork : struct, IStageWork<Number>
    {
        AlignedBlock<Number> slots = ring.Slots;
        long mask = ring.Capacity - 1;
        int polls = 0;
        for (long next = 0; next < items;)
        {
            long end = Volatile.Read(ref ring.Published.Value);
            if (end == next)
            {
                if (++polls < Patience) continue;
                // The producer may need this processor, or be gone.
                cancellation.ThrowIfCancellationRequested();
                Thread.Yield();
                continue;
            }

            for (; next < end; next++) Beside.Take(ref work, ref slots[next & mask]);
            Volatile.Write(ref ring.Consumed.Value, next);
            polls = 0;
        }

        return work;
    }

    private struct Sender(RawRing<Number> ring, Pacer pacer) : ISender
    {
        private readonly RawRing<Number> _ring = ring;
        private Pacer _pacer = pacer;
        private long _next;
        private long _limit = ring.Capacity;

        public void Send(long item)
        {
            if (_next >= _limit) _limit = _pacer.AwaitRoom(ref _ring.Consumed.Value, _next, _ring.Capacity);
            Number.Write(ref _ring.Slots[_next & (_ring.Capacity - 1)], item);
            Volatile.Write(ref _ring.Published.Value, ++_next);
        }
    }
}

/// <summary>What a hand-written ring for one producer and one consumer consists of: slots and two padded counters.</summary>
internal sealed class RawRing<TSlot>(int capacity)
    where TSlot : unmanaged
{
    public readonly AlignedBlock<TSlot> Slots = new(capacity);
    public readonly long Capacity = capacity;
    public PaddedLong Published;
    public PaddedLong Consumed;
}

/// <summary>A consumer that has the slots to itself works beside them.</summary>
internal static class Beside
{
    /// <summary>Takes an item in, and leaves its slot as it is.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Take<TSlot, TWork>(ref TWork work, ref TSlot slot)
        where TSlot : struct, ISlot<TSlot>
        where TWork : struct, IStageWork<TSlot>
    {
        // What fits into a register is copied. A wider slot need not be: only cases that change nothing have one.
        if (Unsafe.SizeOf<TSlot>() > sizeof(long))
        {
            work.Take(ref slot);
            return;
        }

        TSlot item = slot;
        work.Take(ref item);
    }
}
