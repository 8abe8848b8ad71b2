using System.Threading.Tasks.Dataflow;

namespace Raceway.Suites.RingSuite;

/// <summary>
/// Dataflow blocks, bounded, linked with completion: a transform block a stage, an action block last.
/// </summary>
internal sealed class DataflowBlocks(RingLoad load, RoundThreads threads) : Transport<Number>(load, threads)
{
    private const string Name = "dataflow";

    private readonly List<IDataflowBlock> _blocks = [];

    /// <summary>The peer.</summary>
    public static Peer<Number> Peer { get; } = new(Name, static (load, threads) => new DataflowBlocks(load, threads));

    /// <summary>There and back over two blocks, each posting to the other.</summary>
    public static RoundTripContestant RoundTrip(RingShape shape) => new(Name, shape, static (load, threads) =>
    {
        ExecutionDataflowBlockOptions bounded = Bounded(load.Shape);
        var finished = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Feed feed = load.FeedOf();
        Check check = load.NewCheck();
        ActionBlock<long>? there = null;

        void AskNext()
        {
            // One message is under way at a time, so the block has room.
            if (feed.MoveNext()) there!.Post(feed.Current);
            else finished.TrySetResult();
        }

        var back = new ActionBlock<long>(
            item =>
            {
                check.Take(item);
                load.Lap();
                AskNext();
            },
            bounded);
        there = new ActionBlock<long>(
            item =>
            {
                Body.Work(ref item, load.Shape.Increments);
                back.Post(item);
            },
            bounded);

        threads.AddAsync(async () =>
        {
            load.StartLaps();
            AskNext();
            await finished.Task;
            load.Report(check);
        });
        threads.OnCancel(() => finished.TrySetCanceled());
    });

    public override void AddProducer(int producer)
    {
        Feed feed = Load.FeedOf(producer);
        Threads.AddAsync(() => ProduceAsync(feed, (ITargetBlock<Number>)_blocks[0], Load));
    }

    public override void AddStage<TWork>(int stage, TWork work)
    {
        if (stage < Shape.Stages)
        {
            Add(new TransformBlock<Number, Number>(
                item =>
                {
                    work.Take(ref item);
                    return item;
                },
                Bounded(Shape)));
            return;
        }

        var last = new ActionBlock<Number>(item => work.Take(ref item), Bounded(Shape));
        Add(last);
        Threads.AddAsync(async () =>
        {
            await last.Completion;
            work.Report(Load, stage);
        });
    }

    public override void Start() => Threads.OnCancel(() =>
    {
        _blocks[0].Fault(new OperationCanceledException());
        _blocks[^1].Fault(new OperationCanceledException());
    });

    private void Add(ITargetBlock<Number> block)
    {
        if (_blocks.Count > 0)
            ((ISourceBlock<Number>)_blocks[^1]).LinkTo(block, new DataflowLinkOptions { PropagateCompletion = true });
        _blocks.Add(block);
    }

    private static ExecutionDataflowBlockOptions Bounded(RingShape shape) => new() { BoundedCapacity = shape.Capacity };

    private static async Task ProduceAsync(Feed feed, ITargetBlock<Number> block, RingLoad load)
    {
        while (feed.MoveNext())
        {
            Number item = Slot.Of<Number>(feed.Current);

            // A full block refuses what is posted and keeps what is sent until there is room.
            if (!block.Post(item) && !await block.SendAsync(item)) throw new InvalidOperationException("The block takes no more items.");
        }

        if (load.IsLastProducer()) block.Complete();
    }
}
