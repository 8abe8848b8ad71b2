namespace Raceway.Rings.Tests;

/// <summary>Several stages as one step.</summary>
public sealed class FusedStagesTests
{
    private readonly List<string> _log = [];

    private sealed class Logger(string name, List<string> log) : IBatchHandler<long>, IStageLifetime
    {
        public void OnBatch(Batch<long> batch) => log.Add($"{name} {batch.Sequence}+{batch.Count}");

        public void OnStart() => log.Add($"start {name}");

        public void OnStop() => log.Add($"stop {name}");
    }

    private Stage Add(RingBuffer<long> ring, string name, params Stage[] after) =>
        ring.Subscribe(new Logger(name, _log), new StageOptions { After = after, InGroup = true, Name = name });

    [Fact]
    public void Step_Batch_GoesThroughAllStages()
    {
        var ring = Make.Ring(16);
        Stage first = Add(ring, "a");
        Stage second = Add(ring, "b", first);
        var fused = new FusedStages([first, second]);
        Assert.Equal(StepKind.Idle, fused.StepOnce().Kind);
        SingleProducer<long> producer = ring.CreateProducer();
        Make.PublishRange(producer, 0, 4);
        Assert.Equal(new StepResult(StepKind.Progressed, 5), fused.StepOnce());
        Make.PublishRange(producer, 5, 6);
        fused.StepOnce();
        Assert.Equal(["a 0+5", "b 0+5", "a 5+2", "b 5+2"], _log);
    }

    [Theory]
    [InlineData("park")]
    [InlineData("async")]
    public async Task Driver_WholeLife_AllStagesInOrder(string wait)
    {
        var ring = Make.Ring(16, wait: Wait.All.Single(each => each.Name == wait));
        Stage first = Add(ring, "a");
        Stage second = Add(ring, "b", first);
        ring.DriveTogether(new FusedStages([first, second]), null, "both");
        ring.Start();
        SingleProducer<long> producer = ring.CreateProducer();
        await Watchdog.Await(Watchdog.Run(() => Make.PublishRange(producer, 0, 999)), ring);
        Assert.True((await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring)).IsDrained);
        Assert.Equal(["start a", "start b"], _log.Take(2));
        Assert.Equal(["stop b", "stop a"], _log.TakeLast(2));
        List<string> batches = _log[2..^2];
        // Each batch goes through both before the next one begins.
        for (int i = 0; i < batches.Count; i += 2)
            Assert.Equal(batches[i][2..], batches[i + 1][2..]);
        Assert.Equal(1_000, first.GetStatistics().Items);
        Assert.Equal(1_000, second.GetStatistics().Items);
    }

    [Fact]
    public async Task Driver_StageFaults_RingIsFaulted()
    {
        var ring = Make.Ring(16);
        Stage first = Add(ring, "a");
        Stage second = ring.Subscribe(
            new EventLambda<long>((ref long item, long _, bool _) =>
            {
                if (item == 3) throw new FormatException();
            }),
            new StageOptions { After = [first], InGroup = true, Name = "b" });
        ring.DriveTogether(new FusedStages([first, second]), null, "both");
        ring.Start();
        Make.PublishRange(ring.CreateProducer(), 0, 5);
        var fault = await Assert.ThrowsAsync<RingFaultedException>(() => Watchdog.Await(ring.Completion, ring));
        Assert.Equal("b", fault.Stage);
        Assert.Equal(2, second.Position);
    }
}
