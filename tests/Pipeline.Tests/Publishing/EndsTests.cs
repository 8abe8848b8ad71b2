using Raceway.Rings;

namespace Raceway.Pipelines.Tests.Publishing;

/// <summary>What sources and sinks of other assemblies stand on: ends that complete a pipeline, and pollers that tell of its end.</summary>
public sealed class EndsTests
{
    public static TheoryData<Plan> Plans => Cases.Plans;

    [Theory]
    [MemberData(nameof(Plans))]
    public async Task TryComplete_ItemsInside_EndsBehindThem(Plan plan)
    {
        long handled = 0;
        await using Pipeline<long> pipeline = Pipeline.Of<long>(16).Stage("a", (ref long _) => handled++).Stage("b", static (ref long _) => { }).Run(plan);
        for (long item = 0; item < 10; item++) pipeline.Publisher.Publish(item);

        Assert.True(pipeline.TryComplete());
        Assert.False(pipeline.Publisher.TryComplete());
        Assert.False(pipeline.Ring.TryComplete(new FormatException()));

        using Pump? pump = plan == Plan.Manual ? Pump.For(pipeline) : null;
        await pipeline.Completion.OrHang();
        Assert.Equal((10, RingState.Stopped, 0), (handled, pipeline.State, pipeline.Unprocessed));
        Assert.True(pipeline.Ring.IsClosed);
        Assert.IsType<RingStoppedException>(pipeline.Ring.Refusal());
    }

    [Theory]
    [MemberData(nameof(Plans))]
    public async Task TryComplete_WithAnError_FaultsBehindTheItems(Plan plan)
    {
        long handled = 0;
        var error = new FormatException("the source's");
        await using Pipeline<long> pipeline = Pipeline.Of<long>(16).Stage("a", (ref long _) => handled++).Run(plan);
        Assert.False(pipeline.Ring.IsClosed);
        for (long item = 0; item < 10; item++) pipeline.Publisher.Publish(item);

        Assert.True(pipeline.Publisher.TryComplete(error));

        using Pump? pump = plan == Plan.Manual ? Pump.For(pipeline) : null;
        RingFaultedException fault = await Assert.ThrowsAsync<RingFaultedException>(() => pipeline.Completion.OrHang());
        Assert.Same(error, fault.InnerException);
        Assert.Equal((10, RingState.Faulted), (handled, pipeline.State));
        Assert.IsType<RingFaultedException>(pipeline.Ring.Refusal());
    }

    [Fact]
    public async Task TryComplete_OneRingOfAPipeline_EndsAllOfIt()
    {
        long handled = 0;
        await using Pipeline<long> pipeline = Pipeline.Of<long>(16)
            .Stage("a", static (ref long _) => { }).Stage("b", (ref long _) => handled++).Run(Plan.RingPerStage);
        Assert.Equal(2, pipeline.Rings.Count);
        for (long item = 0; item < 10; item++) pipeline.Publisher.Publish(item);

        Assert.True(pipeline.Ring.TryComplete());

        await pipeline.Completion.OrHang();
        Assert.Equal((10, RingState.Stopped), (handled, pipeline.State));
    }

    [Theory]
    [InlineData(Plan.SharedRing)]
    [InlineData(Plan.RingPerStage)]
    public async Task TryComplete_ByManyAtOnce_OneIsTold_AndWhatItSaidCounts(Plan plan)
    {
        const int Callers = 4;
        for (int round = 0; round < 100; round++)
        {
            await using Pipeline<long> pipeline = Pipeline.Of<long>(16)
                .Stage("a", static (ref long _) => { }).Stage("b", static (ref long _) => { }).Run(plan);
            // The first of them has come to its end, the others have failed.
            Exception?[] errors = [null, .. Enumerable.Range(1, Callers - 1).Select(static i => new FormatException($"{i}"))];
            using var together = new Barrier(Callers);
            bool[] told = await Task.WhenAll(errors.Select(error => Watchdog.Run(() =>
            {
                together.SignalAndWait();
                return pipeline.TryComplete(error);
            }))).OrHang();

            int winner = Array.IndexOf(told, true);
            Assert.Single(told, true);
            await Record.ExceptionAsync(() => pipeline.Completion.OrHang());
            Assert.Same(errors[winner], pipeline.Completion.Exception?.InnerException?.InnerException);
        }
    }

    [Fact]
    public async Task TryComplete_OneOfSeveralSourcesIsClosed_ClosesTheOthers()
    {
        PipelineBuilder<long, long>[] sources = [Pipeline.Of<long>(8).Stage("a", static (ref long _) => { }), Pipeline.Of<long>(8).Stage("b", static (ref long _) => { })];
        await using Pipeline<long> pipeline = Pipeline.Merge("both", 8, sources).Stage("c", static (ref long _) => { }).Run();
        pipeline.Sources[0].Complete();

        Assert.True(pipeline.TryComplete());

        Assert.True(pipeline.Sources[1].IsClosed);
        Assert.False(pipeline.TryComplete());
        await pipeline.Completion.OrHang();
    }

    [Fact]
    public async Task Completion_OfAPoller_ComesWithTheEndOfThePipeline()
    {
        await using Pipeline<long> pipeline = Pipeline.Of<long>(16).Stage("a", static (ref long _) => { }).Poller("out").Run();
        Poller<long> poller = pipeline.GetPoller<long>("out");
        pipeline.Publisher.Publish(1);
        pipeline.TryComplete();
        Assert.False(poller.Completion.IsCompleted);
        Assert.Same(poller.Completion, poller.Completion);

        Watchdog.Until(() =>
        {
            using PolledBatch<long> batch = poller.Poll();
            return batch.Status == PollStatus.Ended;
        }, "the poller's end");

        await poller.Completion.OrHang();
        Assert.Equal(RingState.Stopped, pipeline.State);
    }

    [Fact]
    public async Task Completion_OfAPollerThatIsTakenOut_Succeeds_WhileThePipelineGoesOn()
    {
        await using Pipeline<long> pipeline = Pipeline.Of<long>(16).HaltOnDispose().Stage("a", static (ref long _) => { }).Poller("out").Run();
        Poller<long> poller = pipeline.GetPoller<long>("out");
        pipeline.Publisher.Publish(1);

        await pipeline.DetachAsync("out").OrHang();

        await poller.Completion.OrHang();
        Assert.Equal(RingState.Running, pipeline.State);
        Assert.Equal(PollStatus.Ended, poller.Poll().Status);
    }

    [Fact]
    public async Task Completion_HaltedWithItemsLeft_SaysSo()
    {
        await using Pipeline<long> pipeline = Pipeline.Of<long>(16).Stage("a", static (ref long _) => { }).Poller("out").Run();
        for (long item = 0; item < 3; item++) pipeline.Publisher.Publish(item);

        await pipeline.HaltAsync().OrHang();

        RingStoppedException left = await Assert.ThrowsAsync<RingStoppedException>(() => pipeline.GetPoller<long>("out").Completion.OrHang());
        Assert.Contains("unprocessed=3", left.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Fail_ByAPoller_FaultsThePipelineInItsName()
    {
        await using Pipeline<long> pipeline = Pipeline.Of<long>(16).Stage("a", static (ref long _) => { }).Poller("out").Run();
        Poller<long> poller = pipeline.GetPoller<long>("out");
        var cause = new FormatException("behind the batch");

        poller.Fail(cause);
        poller.Fail(new FormatException("a second one"));

        RingFaultedException fault = await Assert.ThrowsAsync<RingFaultedException>(() => poller.Completion.OrHang());
        Assert.Equal(("out", cause), (fault.Stage, fault.InnerException));
        Assert.Throws<ArgumentNullException>(() => poller.Fail(null!));
    }

    [Fact]
    public async Task Wake_EndsAWaitThatHasNothing()
    {
        await using Pipeline<long> pipeline = Pipeline.Of<long>(16).HaltOnDispose().Poller("out").Run();
        Poller<long> poller = pipeline.GetPoller<long>("out");
        // Nothing waits: a wake is not kept.
        poller.Wake();
        Task waiting;
        // The first ones may end by themselves: the ring has just started.
        do
        {
            Assert.Equal(PollStatus.Idle, poller.Poll().Status);
            waiting = poller.WaitAsync().AsTask();
        }
        while (waiting.IsCompleted);

        poller.Wake();

        await waiting.OrHang();
        Assert.Equal(PollStatus.Idle, poller.Poll().Status);
    }

    [Fact]
    public async Task AttachPoller_OfAPipeline_StandsBehindTheLastStages_UnderAFreeName()
    {
        await using Pipeline<long> pipeline = Pipeline.Of<long>(16).HaltOnDispose()
            .Stage("poller-1", static (ref long item) => item *= 2).After("poller-1").Stage("left", static (ref long _) => { })
            .After("poller-1").Stage("right", static (ref long _) => { })
            .Run();

        Poller<long> first = pipeline.AttachPoller();
        Poller<long> second = pipeline.AttachPoller("mine");

        Assert.Equal(("poller-2", "mine"), (first.Stage.Name, second.Stage.Name));
        Assert.Equal(["left", "right"], first.Stage.Upstream.Select(static stage => stage.Name).Order());
        // Beside the other poller, not behind it.
        Assert.Equal(["left", "right"], second.Stage.Upstream.Select(static stage => stage.Name).Order());
        Assert.Same(first, pipeline.GetPoller<long>("poller-2"));
        Assert.Same(pipeline.Ring, first.Stage.Ring);
        Assert.Throws<PipelineBuildException>(() => pipeline.AttachPoller("mine"));
        pipeline.Publisher.Publish(21);
        Assert.Equal([42L, 42L], new[] { first, second }.Select(Next));
        await pipeline.HaltAsync().OrHang();
        Assert.Throws<InvalidOperationException>(() => pipeline.AttachPoller());
    }

    [Fact]
    public async Task AttachPoller_OfARing_StandsBehindTheLastStages()
    {
        await using var ring = new RingBuffer<long>(16, new RingOptions<long> { DrainTimeout = TimeSpan.Zero });
        Stage doubles = ring.Subscribe(static (ref long item) => item *= 2);
        Poller<long> poller = ring.AttachPoller("out");
        ring.Start();
        ring.GetPublisher().Publish(21);

        Assert.Equal([doubles], poller.Stage.Upstream);
        Assert.Equal(42, Next(poller));
        Assert.True(ring.TryComplete());
        Watchdog.Until(() => poller.Poll().Status == PollStatus.Ended, "the end");
        await poller.Completion.OrHang();
        Assert.Throws<ArgumentNullException>(static () => ((RingBuffer<long>)null!).AttachPoller());
        Assert.Throws<ArgumentNullException>(static () => ((Ring)null!).TryComplete());
    }

    [Fact]
    public async Task Publisher_MadeBeforeItsPipeline_FindsItLater()
    {
        Pipeline<long>? built = null;
        var publisher = new Publisher<long>(() => built?.Ring!);
        Assert.Contains("returned null", Assert.Throws<InvalidOperationException>(() => publisher.Publish(1)).Message, StringComparison.Ordinal);
        long handled = 0;
        await using Pipeline<long> pipeline = built = Pipeline.Of<long>(16).Stage("a", (ref long item) => handled += item).Run();

        publisher.Publish(42);

        Assert.True(publisher.TryComplete());
        await pipeline.Completion.OrHang();
        Assert.Equal(42, handled);
        Assert.Throws<ArgumentNullException>(static () => new Publisher<long>((Func<RingBuffer<long>>)null!));
    }

    [Fact]
    public void Publisher_WhoseSearchUsesItself_IsRefused()
    {
        Publisher<long>? publisher = null;
        publisher = new Publisher<long>(() =>
        {
            publisher!.TryPublish(1);
            return null!;
        });

        InvalidOperationException refused = Assert.Throws<InvalidOperationException>(() => publisher.TryPublish(1));

        Assert.Contains("must not use that publisher", refused.Message, StringComparison.Ordinal);
        // And is asked again.
        Assert.Throws<InvalidOperationException>(() => publisher.TryPublish(1));
    }

    private static long Next(Poller<long> poller)
    {
        long next = 0;
        Watchdog.Until(() =>
        {
            using PolledBatch<long> batch = poller.Poll();
            foreach (long item in batch) next = item;
            return batch.Count > 0;
        }, "an item");
        return next;
    }
}
