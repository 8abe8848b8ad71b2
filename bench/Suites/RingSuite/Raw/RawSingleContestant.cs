namespace Raceway.Suites.RingSuite;

/// <summary>
/// Hand-written ring for one producer and one consumer: two padded counters, and the room known kept locally.
/// </summary>
internal sealed class RawSingleContestant<TSlot>(RingShape shape) : RingContestant("raw", shape)
    where TSlot : unmanaged, ISlot<TSlot>
{
    private const long LargestBatch = 4096;
    private const double LongestPause = 10_000;

    protected override void Prepare(RingLoad load, RoundThreads roundThreads)
    {
        var ring = new RawRing<TSlot>(Shape.Capacity);
        Feed feed = load.FeedOf();
        roundThreads.Add(() =>
        {
            Pacer pacer = Pacer.OfProducer(BusyThreads, roundThreads.Cancellation);
            if (Shape.PublishGroup > 1) ProduceGroups(ring, feed, Shape.PublishGroup, pacer);
            else Produce(ring, feed, pacer);
        });
        roundThreads.Add(() => Consume(ring, load, Pacer.OfConsumer(BusyThreads, LongestPause, roundThreads.Cancellation)));
    }

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

    private static void ProduceGroups(RawRing<TSlot> ring, Feed feed, int group, Pacer pacer)
    {
        AlignedBlock<TSlot> slots = ring.Slots;
        (long capacity, long mask) = (ring.Capacity, ring.Capacity - 1);
        long limit = capacity;
        long next = 0;
        for (bool more = true; more;)
        {
            long end = next + group;
            if (end > limit) limit = pacer.AwaitRoom(ref ring.Consumed.Value, end - 1, capacity);
            for (; next < end && (more = feed.MoveNext()); next++) TSlot.Write(ref slots[next & mask], feed.Current);
            Volatile.Write(ref ring.Published.Value, next);
        }
    }

    private static void Consume(RawRing<TSlot> ring, RingLoad load, Pacer pacer)
    {
        AlignedBlock<TSlot> slots = ring.Slots;
        long mask = ring.Capacity - 1;
        Check check = load.NewCheck();
        int increments = load.Shape.Increments;
        long next = 0;
        while (next < load.Operations)
        {
            long start = next;
            long end = Math.Min(Volatile.Read(ref ring.Published.Value), start + LargestBatch);
            if (end == start)
            {
                pacer.Idle();
                continue;
            }

            for (; next < end; next++)
            {
                // One consumer: the sum is formed beside the slot, which stays as it is.
                long item = TSlot.Read(ref slots[next & mask]);
                Body.Work(ref item, increments);
                check.Take(item);
            }

            Volatile.Write(ref ring.Consumed.Value, next);
            pacer.Worked(end - start);
        }

        load.Report(check);
    }
}
