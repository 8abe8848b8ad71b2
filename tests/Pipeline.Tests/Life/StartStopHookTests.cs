using System.Collections.Concurrent;
using Raceway.Rings;

namespace Raceway.Pipelines.Tests;

/// <summary>Start and stop hooks: once each, in order, also when one of them throws.</summary>
public sealed class StartStopHookTests
{
    private readonly ConcurrentQueue<string> _log = new();

    public static TheoryData<Plan> Plans => Cases.Plans;

    [Theory]
    [MemberData(nameof(Plans))]
    public async Task Hooks_OfARun_AreCalledOnceEach(Plan plan)
    {
        await using Pipeline<Item> pipeline = Define().Run(plan);
        using Pump? pump = Pump.For(pipeline);
        pipeline.CreateProducer().Publish(default(Item));

        Assert.True((await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang()).IsDrained);
        await pipeline.Completion.OrHang();

        Assert.Equal(["start a", "start b", "start c", "stop a", "stop b", "stop c"], _log.Order());
    }

    [Theory]
    [InlineData(Plan.SharedRing)]
    [InlineData(Plan.Fused)]
    public async Task Run_Returns_AfterEveryStartHook(Plan plan)
    {
        await using Pipeline<Item> pipeline = Define().Run(plan);

        Assert.Equal(["start a", "start b", "start c"], _log);
    }

    [Theory]
    [InlineData(Plan.SharedRing)]
    [InlineData(Plan.Fused)]
    public async Task StartAsync_LastHookThrows_EndsTheBegunStagesInReverseOnce(Plan plan)
    {
        await using Pipeline<Item> pipeline = Define(startOfC: Throw).Build(plan);
        SingleProducer<Item> producer = pipeline.CreateProducer();

        var fault = await Assert.ThrowsAsync<InvalidOperationException>(() => pipeline.StartAsync().OrHang());

        Assert.Equal("hook", fault.Message);
        var ended = await Assert.ThrowsAsync<RingFaultedException>(() => pipeline.Completion.OrHang());
        Assert.Same(fault, ended.InnerException);
        Assert.Equal(["start a", "start b", "start c", "stop b", "stop a"], _log);
        Assert.Equal(RingState.Faulted, pipeline.State);
        Assert.Throws<RingFaultedException>(() => producer.Publish(default(Item)));
        Assert.All(pipeline.Stages, stage => Assert.Equal(-1, stage.Position));
    }

    [Fact]
    public async Task Step_ManualStartHookThrows_FaultsTheRingAndIsNotTriedAgain()
    {
        await using Pipeline<Item> pipeline = Define(startOfC: Throw).Run(Plan.Manual);
        pipeline.CreateProducer().Publish(default(Item));

        // Whether the step itself throws as well is not the point here.
        for (int i = 0; i < 2; i++) Record.Exception(() => pipeline["c"].Step());

        Assert.Equal(RingState.Faulted, pipeline.State);
        Assert.Equal(["start c"], _log);
        await Assert.ThrowsAsync<RingFaultedException>(() => pipeline.Completion.OrHang());
    }

    [Theory]
    [MemberData(nameof(Plans))]
    public async Task Halt_AStopHookThrows_TheOthersAreCalledAndTheRingFaults(Plan plan)
    {
        await using Pipeline<Item> pipeline = Define(stopOfB: Throw).Run(plan);
        using Pump? pump = Pump.For(pipeline);
        pipeline.CreateProducer().Publish(default(Item));
        Watchdog.Until(() => pipeline["c"].Position == 0, "the item");

        await pipeline.HaltAsync().OrHang();

        Assert.Equal(["start a", "start b", "start c", "stop a", "stop b", "stop c"], _log.Order());
        Assert.Equal(RingState.Faulted, pipeline.State);
        var fault = await Assert.ThrowsAsync<RingFaultedException>(() => pipeline.Completion);
        Assert.Equal("hook", fault.InnerException?.Message);
    }

    [Theory]
    [InlineData(Plan.SharedRing)]
    [InlineData(Plan.Fused)]
    public async Task StartAsync_StartAndStopHooksThrow_EveryBegunStageIsEnded(Plan plan)
    {
        await using Pipeline<Item> pipeline = Define(startOfC: Throw, stopOfB: Throw).Build(plan);

        await Assert.ThrowsAsync<InvalidOperationException>(() => pipeline.StartAsync().OrHang());
        await Assert.ThrowsAsync<RingFaultedException>(() => pipeline.Completion.OrHang());

        Assert.Equal(["start a", "start b", "start c", "stop b", "stop a"], _log);
    }

    [Theory]
    [MemberData(nameof(Plans))]
    public async Task Halt_BeforeTheStart_CallsNoHook(Plan plan)
    {
        await using Pipeline<Item> pipeline = Define().Build(plan);

        await pipeline.HaltAsync().OrHang();

        Assert.Empty(_log);
        Assert.Equal(RingState.Stopped, pipeline.State);
        await Assert.ThrowsAsync<InvalidOperationException>(pipeline.StartAsync);
    }

    private static void Throw() => throw new InvalidOperationException("hook");

    private PipelineBuilder<Item, Item> Define(Action? startOfC = null, Action? stopOfB = null) =>
        Pipeline.Of<Item>(8).HaltOnDispose()
            .Stage("a", new Probe("a", _log))
            .Stage("b", new Probe("b", _log) { OnStopping = stopOfB })
            .Stage("c", new Probe("c", _log) { OnStarting = startOfC });
}
