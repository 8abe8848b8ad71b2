namespace Raceway.Scenarios.RingSuite;

/// <summary>
/// Hand-written chain: one ring, a thread and a padded counter for every stage, items changed in place.
/// </summary>
internal sealed class RawChainContestant(RingShape shape) : RingContestant("raw", shape)
{
    private const long Mask = RingShape.Capacity - 1;
    private const long LargestBatch = 4096;
    private const double LongestPause = 10_000;

    protected override void Prepare(RingLoad load, Crew crew)
    {
        // Counter 0 is the producer's, counter s what stage s has done.
        var done = new PaddedLong[Shape.Stages + 1];
        var slots = new AlignedBlock(RingShape.Capacity);
        Feed feed = load.FeedOf();
        crew.Add(() => Produce(slots, done, feed, Pacer.OfProducer(BusyThreads, crew.Cancellation)));
        for (int s = 1; s <= Shape.Stages; s++)
        {
            int stage = s;
            Pacer pacer = Pacer.OfConsumer(BusyThreads, LongestPause, crew.Cancellation);
            crew.Add(() => Handle(slots, done, stage, load, pacer));
        }
    }

    private static void Produce(AlignedBlock slots, PaddedLong[] done, Feed feed, Pacer pacer)
    {
        ref long published = ref done[0].Value;
        ref long consumed = ref done[^1].Value;
        long limit = RingShape.Capacity;
        for (long next = 0; feed.MoveNext(); next++)
        {
            if (next >= limit) limit = pacer.AwaitRoom(ref consumed, next);
            slots[next & Mask] = feed.Current;
            Volatile.Write(ref published, next + 1);
        }
    }

    private static void Handle(AlignedBlock slots, PaddedLong[] done, int stage, RingLoad load, Pacer pacer)
    {
        Check check = load.NewCheck();
        (int increments, bool last) = (load.Shape.Increments, stage == load.Shape.Stages);
        long next = 0;
        while (next < load.Operations)
        {
            long start = next;
            long end = Math.Min(Volatile.Read(ref done[stage - 1].Value), start + LargestBatch);
            if (end == start)
            {
                pacer.Idle();
                continue;
            }

            for (; next < end; next++)
            {
                ref long item = ref slots[next & Mask];
                Body.Work(ref item, increments);
                if (last) check.Take(item);
            }

            Volatile.Write(ref done[stage].Value, next);

            // Only the first stage lets batches form; the others get what it made.
            if (stage == 1) pacer.Worked(end - start);
            else pacer.Worked();
        }

        if (last) load.Report(check);
    }
}
