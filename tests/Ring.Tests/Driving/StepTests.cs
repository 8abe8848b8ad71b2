namespace Raceway.Rings.Tests;

/// <summary>Only its driver steps a stage, and a step is one batch.</summary>
public sealed class StepTests
{
    public static TheoryData<string> Waits => new(Rings.Wait.All.Select(static wait => wait.Name));

    [Theory]
    [MemberData(nameof(Waits))]
    public async Task Step_StageThatIsDriven_IsRefusedInEveryState(string wait)
    {
        var ring = Make.Ring(8, wait: Rings.Wait.All.Single(one => one.Name == wait));
        Stage? stage = null;
        Exception? within = null;
        stage = ring.Subscribe(
            new EventLambda<long>((ref long _, long _, bool _) => within = Record.Exception(() => stage!.Step())),
            new StageOptions { Name = "driven" });
        SingleProducer<long> producer = ring.CreateProducer();
        producer.Publish(1);
        Refused();
        ring.Start();
        Refused();
        Assert.True((await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring)).IsDrained);
        Refused();
        Assert.IsType<InvalidOperationException>(within);
        Assert.Equal(1, stage.GetStatistics().Items);

        void Refused() => Assert.Contains(
            "stage='driven', drive=OwnThread", Assert.Throws<InvalidOperationException>(() => stage!.Step()).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Step_StageOfAGroup_IsRefused()
    {
        var ring = Make.Ring(8);
        Stage stage = ring.Subscribe(new Recorder(), new StageOptions { InGroup = true });
        Assert.Throws<InvalidOperationException>(() => stage.Step());
    }

    [Fact]
    public void ManualDriver_StageOfAThread_IsRefused()
    {
        var ring = Make.Ring(8);
        Stage stage = ring.Subscribe(new Recorder(), new StageOptions { Name = "driven" });
        Assert.Contains(
            "stage='driven'", Assert.Throws<ArgumentException>(() => new ManualDriver([stage])).Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Step_ThreadsOnOneStage_HandleEachItemOnceInOrder()
    {
        const int Items = 100_000;
        var ring = Make.Ring(64);
        long next = 0, inside = 0, wrong = 0;
        Stage stage = ring.Subscribe(
            new EventLambda<long>((ref long item, long _, bool _) =>
            {
                if (Interlocked.Increment(ref inside) != 1 || item != next++) wrong++;
                Interlocked.Decrement(ref inside);
            }),
            Make.Stepped());
        Task[] threads = [Watchdog.Run(StepToTheEnd), Watchdog.Run(StepToTheEnd)];
        SingleProducer<long> producer = ring.CreateProducer();
        for (long item = 0; item < Items; item++) producer.Publish(item);
        Assert.True((await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring)).IsDrained);
        await Watchdog.Await(Task.WhenAll(threads), ring);
        Assert.Equal((Items, 0), (next, wrong));

        void StepToTheEnd()
        {
            for (StepKind kind = StepKind.Idle; kind != StepKind.Stopped; kind = stage.Step(7).Kind)
                if (kind != StepKind.Progressed) Thread.Yield();
        }
    }

    [Fact]
    public async Task Step_WhileAStepIsUnderWay_IsPendingAndNotTheEnd()
    {
        var ring = Make.Ring(8);
        Stage? stage = null;
        List<StepKind> within = [];
        using var entered = new ManualResetEventSlim();
        using var go = new ManualResetEventSlim();
        stage = ring.Subscribe(
            new EventLambda<long>((ref long _, long _, bool _) =>
            {
                within.Add(stage!.Step().Kind);
                entered.Set();
                go.Wait();
            }),
            Make.Stepped());
        ring.CreateProducer().Publish(1);
        Task other = Watchdog.Run(() => stage.Step());
        entered.Wait();
        Assert.Equal(StepKind.Pending, stage.Step().Kind);
        go.Set();
        await Watchdog.Await(other, ring);
        Assert.Equal([StepKind.Pending], within);
        Assert.Equal(StepKind.Idle, stage.Step().Kind);
    }

    [Fact]
    public void Step_MoreThanABatchThere_TakesOneBatchAndSaysThatThereIsMore()
    {
        var ring = Make.Ring(8);
        Stage stage = ring.Subscribe(new Recorder(), Make.Stepped(Dispatch.Batch(max: 3)));
        Make.PublishRange(ring.CreateProducer(), 0, 4);
        Assert.Equal(new StepResult(StepKind.Progressed, 3, More: true), stage.Step());
        Assert.Equal(new StepResult(StepKind.Progressed, 1, More: true), stage.Step(max: 1));
        Assert.Equal(new StepResult(StepKind.Progressed, 1), stage.Step());
    }

    [Fact]
    public void Statistics_ToString_HasTheFiguresAndNoTypeNames()
    {
        var ring = Make.Ring(8);
        Stage stage = ring.Subscribe(new Recorder(), Make.Stepped(Dispatch.Batch(max: 3), name: "sum"));
        Make.PublishRange(ring.CreateProducer(), 0, 4);
        Make.StepAll(stage);
        Assert.Equal(
            "sum: 5 items, 2 batches of 2.5, lag 0, closed by Drained 1, Full 1, sizes 2-3 2", stage.GetStatistics().ToString());
    }
}
