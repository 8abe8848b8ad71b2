using System.Threading.Tasks.Dataflow;

namespace Raceway.Suites.RingSuite;

/// <summary>
/// Dataflow blocks, bounded, linked with completion: a transform block a stage, an action block last.
/// </summary>
internal sealed class DataflowContestant(RingShape shape) : RingContestant("dataflow", shape)
{
    protected override void Prepare(RingLoad load, RoundThreads roundThreads)
    {
        var bounded = new ExecutionDataflowBlockOptions { BoundedCapacity = Shape.Capacity };
        Check check = load.NewCheck();
        var last = new ActionBlock<long>(
            item =>
            {
                Body.Work(ref item, Shape.Increments);
                check.Take(item);
            },
            bounded);

        ITargetBlock<long> first = last;
        for (int s = Shape.Stages - 1; s > 0; s--)
        {
            var stage = new TransformBlock<long, long>(
                item =>
                {
                    Body.Work(ref item, Shape.Increments);
                    return item;
                },
                bounded);
            stage.LinkTo(first, new DataflowLinkOptions { PropagateCompletion = true });
            first = stage;
        }

        for (int p = 0; p < Shape.Producers; p++)
        {
            Feed feed = load.FeedOf(p);
            roundThreads.AddAsync(() => ProduceAsync(feed, first, load));
        }

        roundThreads.AddAsync(async () =>
        {
            await last.Completion;
            load.Report(check);
        });
        roundThreads.OnCancel(() =>
        {
            first.Fault(new OperationCanceledException());
            ((IDataflowBlock)last).Fault(new OperationCanceledException());
        });
    }

    private static async Task ProduceAsync(Feed feed, ITargetBlock<long> block, RingLoad load)
    {
        while (feed.MoveNext())
        {
            // A full block refuses what is posted and keeps what is sent until there is room.
            if (!block.Post(feed.Current) && !await block.SendAsync(feed.Current))
            {
                throw new InvalidOperationException("The block takes no more items.");
            }
        }

        if (load.IsLastProducer()) block.Complete();
    }
}
