namespace Raceway.Scenarios.RingSuite;

/// <summary>
/// Hand-written ring for one producer and one consumer: two padded counters, and the room known kept locally.
/// </summary>
internal sealed class RawSingleContestant(RingShape shape) : RingContestant("raw", shape)
{
    private const long Mask = RingShape.Capacity - 1;
    private const long LargestBatch = 4096;
    private const double LongestPause = 10_000;

    protected override void Prepare(RingLoad load, Crew crew)
    {
        var ring = new Ring();
        Feed feed = load.FeedOf();
        crew.Add(() => Produce(ring, feed, Pacer.OfProducer(BusyThreads, crew.Cancellation)));
        crew.Add(() => Consume(ring, load, Pacer.OfConsumer(BusyThreads, LongestPause, crew.Cancellation)));
    }

    private static void Produce(Ring ring, Feed feed, Pacer pacer)
    {
        AlignedBlock slots = ring.Slots;
        long limit = RingShape.Capacity;
        for (long next = 0; feed.MoveNext(); next++)
        {
            if (next >= limit) limit = pacer.AwaitRoom(ref ring.Consumed.Value, next);
            slots[next & Mask] = feed.Current;
            Volatile.Write(ref ring.Published.Value, next + 1);
        }
    }

    private static void Consume(Ring ring, RingLoad load, Pacer pacer)
    {
        AlignedBlock slots = ring.Slots;
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
                long item = slots[next & Mask];
                Body.Work(ref item, increments);
                check.Take(item);
            }

            Volatile.Write(ref ring.Consumed.Value, next);
            pacer.Worked(end - start);
        }

        load.Report(check);
    }

    private sealed class Ring
    {
        public readonly AlignedBlock Slots = new(RingShape.Capacity);
        public PaddedLong Published;
        public PaddedLong Consumed;
    }
}
