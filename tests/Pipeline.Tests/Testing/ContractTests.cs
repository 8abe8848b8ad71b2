using Raceway.Rings;
using Raceway.Testing;

namespace Raceway.Pipelines.Tests.Testing;

/// <summary>Raceway's own strategies and kinds pass the contracts it gives away, and what breaks a rule does not.</summary>
public sealed class ContractTests
{
    private static readonly TimeSpan s_soon = TimeSpan.FromMilliseconds(500);

    public static TheoryData<string> Waits => [.. Wait.All.Select(static wait => wait.Name)];

    [Theory]
    [MemberData(nameof(Waits))]
    public void WaitContract_OwnStrategies_Pass(string name) => WaitContract.Check(Wait.All.First(wait => wait.Name == name));

    [Fact]
    public void WaitContract_OneThatReturnsAtOnce_Passes() => WaitContract.Check(new Given(static _ => { }));

    [Fact]
    public void WaitContract_OneThatNeverReturns_IsABreach()
    {
        using var never = new ManualResetEventSlim();

        ContractException breach = Assert.Throws<ContractException>(
            () => WaitContract.Check(new Given(_ => never.Wait()), s_soon));

        Assert.Contains("no end within", breach.Message, StringComparison.Ordinal);
        never.Set();
    }

    [Fact]
    public void WaitContract_OneThatThrows_IsABreach()
    {
        ContractException breach = Assert.Throws<ContractException>(
            () => WaitContract.Check(new Given(static _ => throw new FormatException("the strategy's own"))));

        Assert.Contains("the strategy's own", breach.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Wait_ThatThrowsOnAStage_FaultsTheRing()
    {
        await using var ring = new RingBuffer<long>(8, new RingOptions<long> { Wait = new Given(static _ => throw new FormatException()) });
        ring.Subscribe(static (ref long _) => { });
        ring.Start();

        RingFaultedException fault = await Assert.ThrowsAsync<RingFaultedException>(() => ring.Completion.OrHang());

        Assert.IsType<FormatException>(fault.InnerException);
    }

    [Fact]
    public void Wait_WithoutAWaiterOrAName_IsRefused()
    {
        var ring = new RingBuffer<long>(8, new RingOptions<long> { ProducerWait = new Given(null) });

        Assert.Contains("'given'.CreateWaiter returned null", Assert.Throws<InvalidOperationException>(() => ring.CreateProducer()).Message, StringComparison.Ordinal);
        Assert.Throws<ArgumentException>(() => new Given(static _ => { }, " "));
    }

    [Theory]
    [InlineData("delegate")]
    [InlineData("events")]
    [InlineData("batches")]
    [InlineData("async")]
    [InlineData("struct events")]
    [InlineData("struct batches")]
    public void StageKindContract_OwnKinds_Pass(string kind) => StageKindContract.Check(action => kind switch
    {
        "delegate" => new Own(site => site.Attach(action)),
        "events" => new Own(site => site.Attach(new Events(action))),
        "batches" => new Own(site => site.Attach(new Batches(action))),
        "async" => new Own(site => site.Attach(new Async(action)), awaits: true),
        "struct events" => StageKind<long>.Events(new StructEvents(action)),
        _ => StageKind<long>.Batches(new StructBatches(action)),
    });

    [Fact]
    public void StageKindContract_OneThatForgetsItems_IsABreach() => AssertBreach(
        "handled once", action => new Own(site => site.Attach((ref long item) =>
        {
            if (item % 1000 != 999) action(ref item);
        })));

    [Fact]
    public void StageKindContract_OneThatHandlesTwice_IsABreach() => AssertBreach(
        "handled once", action => new Own(site => site.Attach((ref long item) =>
        {
            action(ref item);
            if (item == 500) action(ref item);
        })));

    [Fact]
    public void StageKindContract_OneThatPassesByTheSite_IsABreach() => AssertBreach(
        "Behind a filter", action => new Own(site => site.Slots.Subscribe(action, site.Options)));

    [Fact]
    public void StageKindContract_OneThatDoesNotMarkWhatIsDone_IsABreach() => AssertBreach(
        "item that fails", action => new Own(site => site.Attach(new Unmarked(action))));

    [Fact]
    public void Kind_ThatReturnsNoStageOfItsSite_IsAProblemOfTheDefinition()
    {
        Stage? other = null;
        PipelineBuilder<long, long> builder = Pipeline.Of<long>(8)
            .Stage("none", new Own(static _ => null!))
            .Stage("first", new Own(site => other = site.Attach(static (ref long _) => { })))
            .Stage("second", new Own(_ => other!));

        string[] problems = [.. Assert.Throws<PipelineBuildException>(() => builder.Build()).Problems];

        Assert.Equal(2, problems.Length);
        Assert.Contains("stage='none', Own.Attach returned null", problems[0], StringComparison.Ordinal);
        Assert.Contains("stage='second', Own.Attach returned 'first'", problems[1], StringComparison.Ordinal);
    }

    [Fact]
    public async Task Attach_AKindThrowsWhileThePipelineRuns_LeavesNoStageBehind()
    {
        await using Pipeline<long> pipeline = Pipeline.Of<long>(8).HaltOnDispose().Stage("a", static (ref long _) => { }).Run();

        Assert.Throws<FormatException>(() => pipeline.Attach(static more => more
            .Stage("good", static (ref long _) => { })
            .Stage("bad", new Own(static site =>
            {
                site.Attach(static (ref long _) => { });
                throw new FormatException();
            }))));

        Watchdog.Until(() => pipeline.Rings[0].Stages.Count == 1, "the stages to leave");
        Assert.Equal(["a"], pipeline.Stages.Select(static stage => stage.Name));
        pipeline.Attach(static more => more.Stage("good", static (ref long _) => { }));
    }

    private static void AssertBreach(string rule, Func<SlotAction<long>, StageKind<long>> kindOf)
    {
        ContractException breach = Assert.Throws<ContractException>(() => StageKindContract.Check(kindOf));
        Assert.Contains(rule, breach.Message, StringComparison.Ordinal);
    }

    private sealed class Given(Action<int>? wait, string name = "given") : PolledWait(name)
    {
        protected override PolledWaiter CreateWaiter(bool isProducer, int capacity) => wait is null ? null! : new Waiter(wait, capacity);

        private sealed class Waiter(Action<int> wait, int capacity) : PolledWaiter
        {
            public override void Wait(WaitView target)
            {
                if (!target.IsOver) wait(capacity);
            }
        }
    }

    private sealed class Own(Func<StageSite<long>, Stage> attach, bool awaits = false) : StageKind<long>
    {
        public override bool Awaits => awaits;

        public override Stage Attach(StageSite<long> site) => attach(site);
    }

    private sealed class Events(SlotAction<long> action) : IEventHandler<long>
    {
        public void OnEvent(ref long item, long sequence, bool endOfBatch) => action(ref item);
    }

    private sealed class Batches(SlotAction<long> action) : IBatchHandler<long>
    {
        public void OnBatch(Batch<long> batch)
        {
            int done = 0;
            foreach (ref long item in batch)
            {
                action(ref item);
                batch.Complete(++done);
            }
        }
    }

    private sealed class Unmarked(SlotAction<long> action) : IBatchHandler<long>
    {
        public void OnBatch(Batch<long> batch)
        {
            foreach (ref long item in batch) action(ref item);
        }
    }

    private sealed class Async(SlotAction<long> action) : IAsyncBatchHandler<long>
    {
        public async ValueTask OnBatchAsync(AsyncBatch<long> batch, CancellationToken cancellation)
        {
            await Task.Yield();
            int done = 0;
            foreach (ref long item in batch)
            {
                action(ref item);
                batch.Complete(++done);
            }
        }
    }

    private readonly struct StructEvents(SlotAction<long> action) : IEventHandler<long>
    {
        public void OnEvent(ref long item, long sequence, bool endOfBatch) => action(ref item);
    }

    private readonly struct StructBatches(SlotAction<long> action) : IBatchHandler<long>
    {
        public void OnBatch(Batch<long> batch) => new Batches(action).OnBatch(batch);
    }
}
