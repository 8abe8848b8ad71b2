using System.Collections.Concurrent;

namespace Raceway.Suites.RingSuite;

/// <summary>Ping-pong of one message over two blocking collections.</summary>
internal sealed class BlockingCollectionRoundTripContestant(RingShape shape)
    : RingContestant("blocking-collection", shape)
{
    private BlockingCollection<long>[] _queues = [];

    protected override void Prepare(RingLoad load, RoundThreads roundThreads)
    {
        var there = new BlockingCollection<long>(Shape.Capacity);
        var back = new BlockingCollection<long>(Shape.Capacity);
        _queues = [there, back];
        Feed feed = load.FeedOf();
        roundThreads.Add(() => Ask(there, back, feed, load));
        roundThreads.Add(() => Answer(there, back));
        roundThreads.OnCancel(there.CompleteAdding);
        roundThreads.OnCancel(back.CompleteAdding);
    }

    protected override void Finish(RingLoad load) => Array.ForEach(_queues, static q => q.Dispose());

    private static void Ask(BlockingCollection<long> to, BlockingCollection<long> from, Feed feed, RingLoad load)
    {
        Check check = load.NewCheck();
        load.StartLaps();
        while (feed.MoveNext())
        {
            to.Add(feed.Current);
            check.Take(from.Take());
            load.Lap();
        }

        to.CompleteAdding();
        load.Report(check);
    }

    private void Answer(BlockingCollection<long> from, BlockingCollection<long> to)
    {
        foreach (long taken in from.GetConsumingEnumerable())
        {
            long item = taken;
            Body.Work(ref item, Shape.Increments);
            to.Add(item);
        }
    }
}
