using System.Threading.Tasks.Dataflow;

namespace Raceway.Suites.RingSuite;

/// <summary>Ping-pong of one message over two Dataflow blocks, each posting to the other.</summary>
internal sealed class DataflowRoundTripContestant(RingShape shape) : RingContestant("dataflow", shape)
{
    protected override void Prepare(RingLoad load, RoundThreads roundThreads)
    {
        var bounded = new ExecutionDataflowBlockOptions { BoundedCapacity = Shape.Capacity };
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
                Body.Work(ref item, Shape.Increments);
                back.Post(item);
            },
            bounded);

        roundThreads.AddAsync(async () =>
        {
            load.StartLaps();
            AskNext();
            await finished.Task;
            load.Report(check);
        });
        roundThreads.OnCancel(() => finished.TrySetCanceled());
    }
}
