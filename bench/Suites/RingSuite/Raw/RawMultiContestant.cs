using System.Runtime.CompilerServices;

namespace Raceway.Suites.RingSuite;

/// <summary>
/// Hand-written ring for several producers: a fetch-add claims, a stamp in the slot says that it is filled.
/// </summary>
internal sealed class RawMultiContestant(RingShape shape) : RingContestant("raw", shape)
{
    private const double LongestPause = 20_000;
    private const int LargestBatch = 4096;

    protected override void Prepare(RingLoad load, RoundThreads roundThreads)
    {
        var ring = new StampedRing(Shape.Capacity);
        for (int p = 0; p < Shape.Producers; p++)
        {
            Feed feed = load.FeedOf(p);
            roundThreads.Add(() => Produce(ring, feed, Pacer.OfProducer(BusyThreads, roundThreads.Cancellation)));
        }

        roundThreads.Add(() => Consume(ring, load, Pacer.OfConsumer(BusyThreads, LongestPause, roundThreads.Cancellation)));
    }

    private static void Produce(StampedRing ring, Feed feed, Pacer pacer)
    {
        long limit = ring.Capacity;
        while (feed.MoveNext())
        {
            long next = Interlocked.Increment(ref ring.Claimed.Value) - 1;
            if (next >= limit) limit = pacer.AwaitRoom(ref ring.Consumed.Value, next, ring.Capacity);
            ref long stamp = ref ring[next];
            Unsafe.Add(ref stamp, 1) = feed.Current;
            Volatile.Write(ref stamp, next + 1);
        }
    }

    private static void Consume(StampedRing ring, RingLoad load, Pacer pacer)
    {
        Check check = load.NewCheck();
        int increments = load.Shape.Increments;
        long next = 0;
        while (next < load.Operations)
        {
            long start = next;
            long end = start + LargestBatch;
            for (; next < end; next++)
            {
                ref long stamp = ref ring[next];
                if (Volatile.Read(ref stamp) != next + 1) break;
                long item = Unsafe.Add(ref stamp, 1);
                Body.Work(ref item, increments);
                check.Take(item);
            }

            if (next == start)
            {
                pacer.Idle();
                continue;
            }

            Volatile.Write(ref ring.Consumed.Value, next);
            pacer.Worked(next - start);
        }

        load.Report(check);
    }
}
