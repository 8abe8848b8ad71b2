using Raceway.Rings;

namespace Raceway.Pipelines.Tests.OverflowOf;

/// <summary>A slow side branch drops, and the main chain loses nothing.</summary>
public sealed class SideBranchTests
{
    private const int Count = 20_000;

    public static TheoryData<Plan, string> Runs =>
        Cross.Of([Plan.SharedRing, Plan.Pooled, Plan.RingPerStage], ["keep latest", "conflate"]);

    // The branch stays in its first call until the main chain has handled all that fits the ring: then it must drop.
    [Theory]
    [MemberData(nameof(Runs))]
    public async Task SideBranch_Slow_DropsAndTheMainChainLosesNothing(Plan plan, string policy)
    {
        const int Capacity = 1024;
        using var go = new ManualResetEventSlim();
        var main = new Keeper();
        bool first = true;
        var side = new Keeper(_ =>
        {
            if (first) go.Wait();
            first = false;
        });
        IBatchHandler<long> dropping = policy == "conflate"
            ? Overflow.ConflateByKey(static (ref readonly long item) => item % 7, side)
            : Overflow.KeepLatest(5, side);
        await using Pipeline<long> pipeline = Pipeline.Of<long>(Capacity).HaltOnDispose()
            .Stage("parse", static (ref long _) => { })
            .After("parse").Stage("main", main)
            .After("parse").Stage("side", dropping)
            .Run(plan);
        SingleProducer<long> producer = pipeline.CreateProducer();
        Task publishing = Task.Factory.StartNew(
            () =>
            {
                for (long item = 0; item < Count; item++) producer.Publish(item);
            },
            TaskCreationOptions.LongRunning);
        await Task.Run(() => Watchdog.Until(() => main.Items.Count >= Capacity - 1, "the main chain")).OrHang();
        go.Set();
        await publishing.OrHang();
        Assert.True((await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang()).IsDrained);

        Assert.Equal(One.Range(0, Count), main.Items);
        StageStatistics done = pipeline["side"].GetStatistics();
        Assert.Equal((Count, side.Items.Count), (done.Items + done.Dropped, done.Items));
        Assert.InRange(done.Dropped, 1, Count);
        Assert.Equal(done.Skipped, done.Dropped);
        Assert.True(side.Items.SequenceEqual(side.Items.Order().Distinct()));
        // The latest is never dropped.
        Assert.Equal(Count - 1, side.Items[^1]);
        Assert.Equal(0, pipeline["main"].GetStatistics().Dropped);
    }
}
