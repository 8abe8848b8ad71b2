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

    // The first stage sees the end, while a task behind it still has its slots.
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task End_ACallBehindTheFirstStageIsOpen_WaitsForIt(bool faults)
    {
        var call = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        List<long> left = [];
        var ring = new RingBuffer<long>(
            16, new RingOptions<long> { Wait = Wait.Park(), OnUnprocessed = (ref long item) => left.Add(item) });
        Stage first = ring.Subscribe(
            new EventLambda<long>((ref long item, long _, bool _) =>
            {
                if (faults && item == 2) throw new FormatException();
            }),
            new StageOptions { Dispatch = Dispatch.Batch(max: 1), InGroup = true });
        var handler = new Awaits(call.Task);
        Stage second = ring.Subscribe(handler, new StageOptions { After = [first], Dispatch = Dispatch.Batch(max: 1), InGroup = true });
        ring.DriveTogether(new FusedStages([first, second]), null, "both");
        Make.PublishRange(ring.CreateProducer(), 1, faults ? 3 : 1);
        ring.Start();
        long waits = 0;
        if (!faults)
        {
            await Watchdog.UntilAsync(() => second.OpenCallFor is not null && first.GetStatistics().Parks > 0, ring);
            waits = first.GetStatistics().Waits;
        }

        Task end = faults ? ring.Completion : ring.HaltAsync();
        // It has looked at the end, and waits again; or has ended.
        await Watchdog.UntilAsync(() => first.GetStatistics().Waits > waits || end.IsCompleted, ring);

        Assert.False(end.IsCompleted);
        Assert.Equal((0, 0), (left.Count, handler.Stops));
        call.SetResult();
        await Watchdog.Await(Task.WhenAny(end), ring);
        Assert.Equal(faults, end.IsFaulted);
        Assert.Equal(faults ? [2, 3] : [], left);
        Assert.Equal((0, 1), (second.Position, handler.Stops));
    }

    // A side branch leaves by its policy, and its stop hook throws.
    [Fact]
    public async Task StopHook_ThrowsBesideAnOpenCall_TheEndWaitsForTheCall()
    {
        var call = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var ring = new RingBuffer<long>(16, new RingOptions<long> { Wait = Wait.Park() });
        Stage side = ring.Subscribe(
            new FailsAndStopsBadly(), new StageOptions { Dispatch = Dispatch.Batch(max: 1), InGroup = true, OnFault = FaultPolicy.Detach });
        var handler = new Awaits(call.Task);
        Stage main = ring.Subscribe(handler, new StageOptions { Dispatch = Dispatch.Batch(max: 1), InGroup = true });
        ring.DriveTogether(new FusedStages([side, main]), null, "both");
        Make.PublishRange(ring.CreateProducer(), 1, 2);
        ring.Start();
        await Watchdog.UntilAsync(() => main.GetStatistics().Parks > 0 || ring.Completion.IsCompleted, ring);

        Assert.Equal((RingState.Faulted, false, 0), (ring.State, ring.Completion.IsCompleted, handler.Stops));
        call.SetResult();
        await Watchdog.Await(Task.WhenAny(ring.Completion), ring);
        Assert.Equal(1, handler.Stops);
    }

    private sealed class FailsAndStopsBadly : IEventHandler<long>, IStageLifetime
    {
        public void OnEvent(ref long item, long sequence, bool endOfBatch)
        {
            if (item == 2) throw new FormatException();
        }

        public void OnStart()
        {
        }

        public void OnStop() => throw new IOException("its connection is gone");
    }

    private sealed class Awaits(Task task) : IAsyncBatchHandler<long>, IStageLifetime
    {
        private int _stops;

        public int Stops => Volatile.Read(ref _stops);

        public async ValueTask OnBatchAsync(AsyncBatch<long> batch, CancellationToken cancellation) => await task;

        public void OnStart()
        {
        }

        public void OnStop() => Interlocked.Increment(ref _stops);
    }
}
