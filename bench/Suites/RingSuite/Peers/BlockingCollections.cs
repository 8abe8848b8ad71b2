using System.Collections.Concurrent;

namespace Raceway.Suites.RingSuite;

/// <summary><see cref="BlockingCollection{T}"/> before every stage, consumed by enumeration.</summary>
internal sealed class BlockingCollections : Transport<Number>
{
    private const string Name = "blocking-collection";

    private readonly BlockingCollection<Number>[] _queues;

    private BlockingCollections(RingLoad load, RoundThreads threads)
        : base(load, threads)
    {
        BlockingCollection<Number>[] queues = _queues =
            [.. Enumerable.Range(0, Shape.Stages).Select(_ => new BlockingCollection<Number>(Shape.Capacity))];
        threads.OnCancel(() => Array.ForEach(queues, static queue => queue.CompleteAdding()));
        threads.OnEnd(() => Array.ForEach(queues, static queue => queue.Dispose()));
    }

    /// <summary>The peer.</summary>
    public static Peer<Number> Peer { get; } = new(Name, static (load, threads) => new BlockingCollections(load, threads));

    /// <summary>There and back over two of them.</summary>
    public static RoundTripContestant RoundTrip(RingShape shape) => new(Name, shape, static (load, threads) =>
    {
        var there = new BlockingCollection<long>(load.Shape.Capacity);
        var back = new BlockingCollection<long>(load.Shape.Capacity);
        threads.Add(() => Trip.Ask(new AskingEnd(there, back), load));
        threads.Add(() =>
        {
            using IEnumerator<long> asked = there.GetConsumingEnumerable().GetEnumerator();
            Trip.Answer(new AnsweringEnd(back, asked), load);
        });
        foreach (BlockingCollection<long> queue in (BlockingCollection<long>[])[there, back])
        {
            threads.OnCancel(queue.CompleteAdding);
            threads.OnEnd(queue.Dispose);
        }
    });

    /// <summary>One for many producers.</summary>
    public static FairContestant Fair(RingShape shape) => new(Name, shape, static fair =>
    {
        var queue = new BlockingCollection<long>(fair.Shape.Capacity);
        var consumer = new Thread(() =>
        {
            foreach (long item in queue.GetConsumingEnumerable()) fair.Take(item);
        });
        consumer.Start();
        return new FairQueue(
            () => item => queue.Add(item),
            () =>
            {
                queue.CompleteAdding();
                consumer.Join();
                queue.Dispose();
            });
    });

    public override void AddProducer(int producer)
    {
        Feed feed = Load.FeedOf(producer);
        Threads.Add(() => Produce(feed, _queues[0], Load));
    }

    public override void AddStage<TWork>(int stage, TWork work)
    {
        BlockingCollection<Number> from = _queues[stage - 1];
        if (stage == Shape.Stages) Threads.Add(() => Consume(from, work).Report(Load, stage));
        else Threads.Add(() => PassOn(from, _queues[stage], work));
    }

    private static void Produce(Feed feed, BlockingCollection<Number> queue, RingLoad load)
    {
        while (feed.MoveNext()) queue.Add(Slot.Of<Number>(feed.Current));
        if (load.IsLastProducer()) queue.CompleteAdding();
    }

    private static void PassOn<TWork>(BlockingCollection<Number> from, BlockingCollection<Number> to, TWork work)
        where TWork : struct, IStageWork<Number>
    {
        foreach (Number taken in from.GetConsumingEnumerable())
        {
            Number item = taken;
            work.Take(ref item);
            to.Add(item);
        }

        to.CompleteAdding();
    }

    private static TWork Consume<TWork>(BlockingCollection<Number> queue, TWork work)
        where TWork : struct, IStageWork<Number>
    {
        foreach (Number taken in queue.GetConsumingEnumerable())
        {
            Number item = taken;
            work.Take(ref item);
        }

        return work;
    }

    private readonly struct AskingEnd(BlockingCollection<long> to, BlockingCollection<long> from) : IEnd
    {
        public void Send(long item) => to.Add(item);

        public long Receive() => from.Take();
    }

    private readonly struct AnsweringEnd(BlockingCollection<long> to, IEnumerator<long> from) : IEnd
    {
        public void Send(long item) => to.Add(item);

        public long Receive() => from.MoveNext() ? from.Current : throw new OperationCanceledException();
    }
}
