using System.Collections.Concurrent;

namespace Raceway.Suites.RingSuite;

/// <summary><see cref="BlockingCollection{T}"/>: one before every stage, consumed by enumeration.</summary>
internal sealed class BlockingCollectionContestant(RingShape shape) : RingContestant("blocking-collection", shape)
{
    private BlockingCollection<long>[] _queues = [];

    protected override void Prepare(RingLoad load, RoundThreads roundThreads)
    {
        BlockingCollection<long>[] queues = _queues =
            [.. Enumerable.Range(0, Shape.Stages).Select(_ => new BlockingCollection<long>(Shape.Capacity))];
        for (int p = 0; p < Shape.Producers; p++)
        {
            Feed feed = load.FeedOf(p);
            roundThreads.Add(() => Produce(feed, queues[0], load));
        }

        for (int s = 0; s < queues.Length - 1; s++)
        {
            (BlockingCollection<long> from, BlockingCollection<long> to) = (queues[s], queues[s + 1]);
            roundThreads.Add(() => PassOn(from, to));
        }

        roundThreads.Add(() => Consume(queues[^1], load));
        roundThreads.OnCancel(() => Array.ForEach(queues, static q => q.CompleteAdding()));
    }

    protected override void Finish(RingLoad load) => Array.ForEach(_queues, static q => q.Dispose());

    private static void Produce(Feed feed, BlockingCollection<long> queue, RingLoad load)
    {
        while (feed.MoveNext()) queue.Add(feed.Current);
        if (load.IsLastProducer()) queue.CompleteAdding();
    }

    private void PassOn(BlockingCollection<long> from, BlockingCollection<long> to)
    {
        foreach (long taken in from.GetConsumingEnumerable())
        {
            long item = taken;
            Body.Work(ref item, Shape.Increments);
            to.Add(item);
        }

        to.CompleteAdding();
    }

    private void Consume(BlockingCollection<long> queue, RingLoad load)
    {
        Check check = load.NewCheck();
        foreach (long taken in queue.GetConsumingEnumerable())
        {
            long item = taken;
            Body.Work(ref item, Shape.Increments);
            check.Take(item);
        }

        load.Report(check);
    }
}
