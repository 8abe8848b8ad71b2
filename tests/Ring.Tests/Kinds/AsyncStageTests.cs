namespace Raceway.Rings.Tests;

/// <summary>Async handlers: one batch at a time, progress on completion, faults and time limits as for all others.</summary>
public sealed class AsyncStageTests
{
    private readonly List<long> _handled = [];

    private void Take(AsyncBatch<long> batch)
    {
        for (int i = 0; i < batch.Count; i++) _handled.Add(batch[i]);
    }

    [Fact]
    public void OnBatch_CompletesAtOnce_ProgressesInTheStep()
    {
        var ring = Make.Ring(16);
        Stage stage = ring.Subscribe(
            new AsyncLambda<long>((batch, _) =>
            {
                Take(batch);
                return default;
            }),
            Make.Stepped());
        Make.PublishRange(ring.CreateProducer(), 0, 5);
        Assert.Equal(new StepResult(StepKind.Progressed, 6), stage.Step());
        Assert.Equal(5, stage.Position);
        Assert.Equal(Make.Range(0, 5), _handled);
    }

    [Fact]
    public async Task OnBatch_Pending_ProgressesWhenTheTaskCompletes()
    {
        var ring = Make.Ring(16);
        var gate = new TaskCompletionSource();
        Stage stage = ring.Subscribe(
            new AsyncLambda<long>(async (batch, _) =>
            {
                await gate.Task;
                Take(batch);
            }),
            Make.Stepped(Dispatch.Batch(max: 4)));
        SingleProducer<long> producer = ring.CreateProducer();
        Make.PublishRange(producer, 0, 5);
        Assert.Equal(StepKind.Pending, stage.Step().Kind);
        Assert.Equal(StepKind.Pending, stage.Step().Kind);
        Assert.Equal(-1, stage.Position);
        WaitTarget target = stage.NextTarget();
        Assert.False(target.IsOver);
        gate.SetResult();
        await Watchdog.UntilAsync(() => target.IsOver, ring);
        Assert.Equal(new StepResult(StepKind.Progressed, 4, More: true), stage.Step());
        Assert.Equal(3, stage.Position);
        Assert.Equal(2, Make.StepAll(stage));
        Assert.Equal(Make.Range(0, 5), _handled);
    }

    [Fact]
    public async Task Complete_ByThreads_ProgressNeverGoesBack()
    {
        const int Items = 1024, Rounds = 50;
        for (int round = 0; round < Rounds; round++)
        {
            var ring = Make.Ring(Items);
            var gate = new TaskCompletionSource();
            AsyncBatch<long> lent = default;
            Stage stage = ring.Subscribe(
                new AsyncLambda<long>((batch, _) =>
                {
                    lent = batch;
                    return new ValueTask(gate.Task);
                }),
                Make.Stepped(Dispatch.Batch(max: Items)));
            Make.PublishRange(ring.CreateProducer(), 0, Items - 1);
            Assert.Equal(StepKind.Pending, stage.Step().Kind);
            int wentBack = 0;
            Task[] threads = [Watchdog.Run(MarkAll), Watchdog.Run(MarkAll)];
            await Watchdog.Await(Task.WhenAll(threads), ring);
            Assert.Equal(0, wentBack);
            gate.SetResult();
            await Watchdog.Await(ring.HaltAsync(), ring);
            Assert.Equal((Items - 1, 0), (stage.Position, ring.Unprocessed));

            void MarkAll()
            {
                for (int count = 1; count <= Items; count++)
                {
                    try
                    {
                        lent.Complete(count);
                        if (stage.Position < count - 1) Interlocked.Increment(ref wentBack);
                    }
                    catch (InvalidOperationException)
                    {
                        // The other thread is marking.
                    }
                }
            }
        }
    }

    [Theory]
    [InlineData("each")]
    [InlineData("single")]
    public void OnBatch_EachOrSingle_GetsBatchesOfOne(string level)
    {
        var ring = Make.Ring(16);
        List<int> sizes = [];
        Stage stage = ring.Subscribe(
            new AsyncLambda<long>((batch, _) =>
            {
                sizes.Add(batch.Count);
                return default;
            }),
            Make.Stepped(level == "each" ? Dispatch.Each() : Dispatch.Single));
        Make.PublishRange(ring.CreateProducer(), 0, 2);
        Make.StepAll(stage);
        Assert.Equal([1, 1, 1], sizes);
    }

    [Fact]
    public void Batch_AfterCompletion_Throws()
    {
        var ring = Make.Ring(16);
        AsyncBatch<long> kept = default;
        Stage stage = ring.Subscribe(
            new AsyncLambda<long>((batch, _) =>
            {
                kept = batch;
                return default;
            }),
            Make.Stepped());
        ring.CreateProducer().Publish(1);
        stage.Step();
        Assert.Throws<ObjectDisposedException>(() => kept[0]);
        Assert.Throws<ObjectDisposedException>(() => kept.Complete(1));
        Assert.Throws<ObjectDisposedException>(() => _ = kept.Depth);
        Assert.Throws<ObjectDisposedException>(() => default(AsyncBatch<long>).Age);
    }

    [Fact]
    public void Batch_IndexOutOfRange_Throws()
    {
        var ring = Make.Ring(16);
        List<Type?> thrown = [];
        Stage stage = ring.Subscribe(
            new AsyncLambda<long>((batch, _) =>
            {
                thrown.Add(Record.Exception(() => batch[batch.Count])?.GetType());
                thrown.Add(Record.Exception(() => batch[-1])?.GetType());
                thrown.Add(Record.Exception(() => batch.Complete(batch.Count + 1))?.GetType());
                return default;
            }),
            Make.Stepped());
        ring.CreateProducer().Publish(1);
        stage.Step();
        Assert.All(thrown, type => Assert.Equal(typeof(ArgumentOutOfRangeException), type));
        Assert.Equal(3, thrown.Count);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Fault_SyncOrPending_GoesToThePolicy(bool pending)
    {
        var ring = Make.Ring(16);
        int completed = 0;
        Stage stage = ring.Subscribe(
            new AsyncLambda<long>(async (batch, _) =>
            {
                if (pending) await Task.Yield();
                try
                {
                    for (int i = 0; i < batch.Count; i++)
                    {
                        if (batch[i] == 2) throw new FormatException();
                        _handled.Add(batch[i]);
                        batch.Complete(i + 1);
                    }
                }
                finally
                {
                    Interlocked.Increment(ref completed);
                }
            }),
            new StageOptions { OnFault = FaultPolicy.Skip, Wait = Wait.Park() });
        ring.Start();
        Make.PublishRange(ring.CreateProducer(), 0, 5);
        Assert.True((await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring)).IsDrained);
        Assert.Equal([0, 1, 3, 4, 5], _handled);
        Assert.Equal(1, stage.GetStatistics().Skipped);
    }

    [Fact]
    public async Task Halt_HandlerPending_WaitsForItAndSignalsItsToken()
    {
        var ring = Make.Ring(16);
        var go = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var cancelled = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var entered = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Stage stage = ring.Subscribe(new AsyncLambda<long>(async (batch, token) =>
        {
            using CancellationTokenRegistration registration = token.Register(cancelled.SetResult);
            entered.SetResult();
            await go.Task;
            Take(batch);
        }));
        ring.Start();
        SingleProducer<long> producer = ring.CreateProducer();
        using (Claim<long> claim = producer.Claim(3))
        {
            for (int i = 0; i < 3; i++) claim[i] = i;
            claim.Commit();
        }

        await Watchdog.Await(entered.Task, ring);
        Task halt = ring.HaltAsync();
        await Watchdog.Await(cancelled.Task, ring);
        Assert.False(halt.IsCompleted);
        Assert.NotEqual(RingState.Stopped, ring.State);
        go.SetResult();
        await Watchdog.Await(halt, ring);
        Assert.Equal([0, 1, 2], _handled);
        Assert.Equal(2, stage.Position);
        Assert.Equal(0, ring.Unprocessed);
    }

    [Fact]
    public async Task Halt_HandlerGivesUpByItsToken_ItemsAreUnprocessed()
    {
        var ring = Make.Ring(16);
        var entered = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Stage stage = ring.Subscribe(new AsyncLambda<long>(async (_, token) =>
        {
            entered.SetResult();
            await Task.Delay(Timeout.Infinite, token);
        }));
        ring.Start();
        ring.CreateProducer().Publish(1);
        await Watchdog.Await(entered.Task, ring);
        await Watchdog.Await(ring.HaltAsync(), ring);
        Assert.Equal(RingState.Stopped, ring.State);
        Assert.Equal(1, ring.Unprocessed);
        Assert.Equal(0, stage.GetStatistics().Faults);
    }

    [Fact]
    public async Task HandlerTimeout_HeedsItsToken_IsAFaultOfThatBatch()
    {
        var time = new WatchedTime();
        var ring = Make.Ring(16, time: time);
        int calls = 0;
        Stage stage = ring.Subscribe(
            new AsyncLambda<long>(async (batch, token) =>
            {
                if (Interlocked.Increment(ref calls) == 1) await Task.Delay(Timeout.Infinite, token);
                Take(batch);
            }),
            new StageOptions
            {
                HandlerTimeout = TimeSpan.FromHours(1), OnFault = FaultPolicy.Retry(1, TimeSpan.Zero),
            });
        ring.Start();
        ring.CreateProducer().Publish(4);
        await Watchdog.UntilAsync(() => time.SetTimers > 0, ring);
        time.Advance(TimeSpan.FromHours(1));
        Assert.True((await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring)).IsDrained);
        Assert.Equal([4], _handled);
        Assert.Equal(1, stage.GetStatistics().Retries);
    }

    [Fact]
    public void CallerDriven_Step_LeavesTheCallersContextAlone()
    {
        var ring = Make.Ring(2);
        Stage stage = ring.Subscribe(new AsyncLambda<long>((_, _) => default), Make.Stepped());
        SingleProducer<long> producer = ring.CreateProducer();
        producer.Publish(0);
        stage.Step();
        Make.PublishRange(producer, 1, 2);
        // A mark left behind would make this thread look like the ring's own handler.
        Assert.Equal(ClaimStatus.TimedOut, producer.TryClaim(1, TimeSpan.FromMilliseconds(1), out _));
    }
}
