using Raceway.Rings;

namespace Raceway.Pipelines.Tests.Plans;

/// <summary>How pipelines of several rings end: what a drain says is so of all of them, and nothing is waited for in vain.</summary>
public sealed class EndTests
{
    [Fact]
    public async Task DrainAsync_FaultInTheLastRing_IsTheEndOfAllRings()
    {
        using var entered = new ManualResetEventSlim();
        using var go = new ManualResetEventSlim();
        await using Pipeline<long> pipeline = Pipeline.Of<long>(16).HaltOnDispose()
            .Stage("slow", (ref long item) =>
            {
                if (item != 1) return;
                entered.Set();
                go.Wait();
            })
            .Expand<long>("parts", 16, static (ref long item, Emitter<long> parts) => parts.Emit(item))
            .Stage("bad", (ref long _) =>
            {
                entered.Wait();
                throw new FormatException("boom");
            })
            .Run();
        SingleProducer<long> producer = pipeline.CreateProducer();
        producer.Publish(0);
        producer.Publish(1);
        entered.Wait();

        DrainResult timed = await pipeline.DrainAsync(TimeSpan.FromMilliseconds(100)).OrHang();
        Assert.Equal(DrainStatus.TimedOut, timed.Status);
        Assert.Contains("slow", timed.NotEnded);

        go.Set();
        DrainResult result = await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang();
        Assert.Equal(DrainStatus.Faulted, result.Status);
        Assert.True(pipeline.Completion.IsCompleted);
        Assert.All(pipeline.Rings, static ring => Assert.True(ring.Completion.IsCompleted));
    }

    [Theory]
    [InlineData(Plan.Manual, true)]
    [InlineData(Plan.Manual, false)]
    [InlineData(Plan.SharedRing, false)]
    [InlineData(Plan.RingPerStage, false)]
    public async Task DisposeAsync_NothingDrivesIt_EndsAtOnce(Plan plan, bool isStepped)
    {
        Pipeline<long> pipeline = Pipeline.Of<long>(16)
            .Configure(static options => options with { DrainTimeout = Timeout.InfiniteTimeSpan })
            .Stage("first", static (ref long _) => { })
            .Expand<long>("parts", 16, static (ref long item, Emitter<long> parts) => parts.Emit(item))
            .Stage("last", static (ref long _) => { })
            .Build(plan);
        SingleProducer<long> producer = pipeline.CreateProducer();
        for (long item = 0; item < 16; item++) producer.Publish(item);
        if (isStepped) pipeline["first"].Step(3);
        await pipeline.DisposeAsync().AsTask().OrHang();
        Assert.Equal((RingState.Stopped, 16), (pipeline.State, pipeline.Unprocessed));
    }

    [Fact]
    public async Task DisposeAsync_NextRingIsFullAndItsPollerIsLeft_EndsAtOnce()
    {
        Pipeline<long> pipeline = Pipeline.Of<long>(16)
            .Configure(static options => options with { DrainTimeout = Timeout.InfiniteTimeSpan })
            .Expand<long>("parts", 4, static (ref long item, Emitter<long> parts) => parts.Emit(item))
            .Poller("left")
            .Run();
        SingleProducer<long> producer = pipeline.CreateProducer();
        for (long item = 0; item < 16; item++) producer.Publish(item);
        await pipeline.DisposeAsync().AsTask().OrHang();
        Assert.Equal(16, pipeline.Unprocessed);
    }
}
