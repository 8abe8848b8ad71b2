using Raceway.Rings;
using Raceway.Testing;

namespace Raceway.Pipelines.Tests.Testing;

/// <summary>A day passes in a test, stop by stop, and no thread sleeps for it.</summary>
public sealed class HarnessTimeTests
{
    private static readonly TimeSpan s_age = TimeSpan.FromMinutes(2);
    private static readonly TimeSpan s_pause = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan s_limit = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan s_idle = TimeSpan.FromMinutes(11);

    [Fact]
    public void Advance_ADay_StopsAtEachOfAThousandDueTimes()
    {
        var time = new VirtualTime();
        var ages = new Ages(time);
        var fails = new FailsFirst(time);
        var slow = new NeedsItsToken(time);
        using PipelineHarness<long> harness = PipelineHarness.Run(
            Pipeline.Of<long>(16)
                .Stage("age", ages, new() { Dispatch = Dispatch.Batch(min: 4, maxAge: s_age), IdleTimeout = s_idle })
                .Stage("retry", fails, new() { OnFault = FaultPolicy.Retry(1, s_pause) })
                .Stage("time-out", slow, new() { HandlerTimeout = s_limit }),
            // A call that goes on on the pool may have to wait for a thread there.
            new() { Time = time, Limit = TimeSpan.FromMinutes(1) });
        // An item every four minutes: 360 a day, with three due times each.
        var sent = new List<TimeSpan>();
        using ITimer source = time.CreateTimer(_ =>
        {
            sent.Add(time.Elapsed);
            harness.Source.Send(sent.Count);
        }, null, TimeSpan.Zero, TimeSpan.FromMinutes(4));
        harness.Advance(TimeSpan.FromHours(24) - TimeSpan.FromMinutes(1));
        source.Dispose();

        Assert.Equal(TimeSpan.FromHours(24) - TimeSpan.FromMinutes(1), time.Elapsed);
        Assert.Equal(360, sent.Count);
        Assert.Equal(sent.Select(static at => at + s_age), ages.At);
        Assert.All(ages.Waited, static age => Assert.Equal(s_age, age));
        Assert.Equal(sent.Select(static at => at + s_age + s_pause), fails.At);
        Assert.Equal(sent.Select(static at => at + s_age + s_pause + s_limit), slow.At);
        Assert.InRange(ages.At.Concat(fails.At).Concat(slow.At).Distinct().Count(), 1_000, int.MaxValue);
        // A stage that is stepped has no thread that could sleep.
        Assert.All(harness.Pipeline.GetStatistics(), static stage => Assert.Equal((0, 0), (stage.Parks, stage.Waits)));
        Assert.Equal(0, ages.Idle);

        harness.Advance(TimeSpan.FromHours(24));
        Assert.Equal((24 * 60 + 1) / 11, ages.Idle);
        harness.Finish();
    }

    [Fact]
    public void Settle_Retries_MovesTheTimeAsFarAsTheyTake()
    {
        int calls = 0;
        using PipelineHarness<long> harness = PipelineHarness.Run(Pipeline.Of<long>(8).Stage(
            "retry", (ref long _) => _ = ++calls <= 3 ? throw new FormatException() : calls, new() { OnFault = FaultPolicy.Retry(3, s_pause) }));
        harness.Source.Send(1);
        harness.Settle();
        // The pause doubles.
        Assert.Equal((4, 7 * s_pause), (calls, harness.Time.Elapsed));
    }

    [Fact]
    public void Drain_RetriesAreOpen_LetsTheirTimePass()
    {
        int calls = 0;
        using PipelineHarness<long> harness = PipelineHarness.Run(Pipeline.Of<long>(8).Stage(
            "retry", (ref long _) => _ = ++calls == 1 ? throw new FormatException() : calls, new() { OnFault = FaultPolicy.Retry(1, s_pause) }));
        harness.Source.Send(1);
        Assert.True(harness.Drain().IsDrained);
        Assert.Equal((2, s_pause), (calls, harness.Time.Elapsed));
    }

    [Fact]
    public void Advance_NothingDue_MovesTheTimeAndNothingElse()
    {
        using PipelineHarness<long> harness = PipelineHarness.Run(Pipeline.Of<long>(8).Stage("none", static (ref long _) => { }));
        harness.Advance(s_age);
        Assert.Equal(s_age, harness.Time.Elapsed);
        Assert.Empty(harness.Trace);
        Assert.Throws<ArgumentOutOfRangeException>(() => harness.Advance(-s_age));
    }

    [Fact]
    public void Advance_StageIsStalled_TheOthersKeepTheirTimes()
    {
        var one = new Ages(new VirtualTime());
        Dispatch dispatch = Dispatch.Batch(min: 4, maxAge: s_age);
        using PipelineHarness<long> harness = PipelineHarness.Run(
            Pipeline.Of<long>(16).Fork(branch => branch.Stage("one", one, dispatch), branch => branch.Stage("other", new Ages(new VirtualTime()), dispatch)));
        harness.Source.Send(1);
        harness.RunUntilIdle();
        harness.Stall("other");
        harness.Advance(2 * s_age);
        Assert.Equal([s_age], one.Waited);
        harness.Resume("other");
        harness.RunUntilIdle();
        Assert.Equal(0, harness.Pipeline["other"].Position);
    }

    [Fact]
    public void Calls_HandlerRetriesAtOnceForEver_SaysSo()
    {
        Action<PipelineHarness<long>>[] calls =
        [
            static harness => harness.RunUntilIdle(), static harness => harness.Settle(), static harness => harness.Drain(),
            static harness => harness.Advance(s_age), static harness => harness.Source.Send(2, 3, 4), static harness => harness.Sink<long>("out").Next(),
        ];
        foreach (Action<PipelineHarness<long>> call in calls)
        {
            using PipelineHarness<long> harness = PipelineHarness.Run(
                Pipeline.Of<long>(2).Stage("retry", new Answers(BatchOutcome.RetryFrom(0))).Poller("out"), new() { Limit = s_pause / 30 });
            harness.Source.Send(1);
            ContractException found = Assert.Throws<ContractException>(() => call(harness));
            Assert.Contains("'retry' was called 10,000 times for the item of sequence 0", found.Message, StringComparison.Ordinal);
        }
    }

    [Fact]
    public void Advance_HandlerNeverConsumes_SaysSo()
    {
        using PipelineHarness<long> harness = PipelineHarness.Run(
            Pipeline.Of<long>(8).Stage("never", new Answers(BatchOutcome.Consumed(0))), new() { Limit = s_pause / 30 });
        harness.Source.Send(1);
        // It is asked each millisecond: for some time that may be right.
        harness.Advance(TimeSpan.FromSeconds(20));
        ContractException found = Assert.Throws<ContractException>(() => harness.Advance(TimeSpan.FromHours(1)));
        Assert.Contains("'never' was called 100,000 times", found.Message, StringComparison.Ordinal);
    }

    /// <summary>A retry behind a pause is not one more of those at once.</summary>
    [Fact]
    public void Advance_RetriesAtOnceBehindManyWithAPause_AreCountedApart()
    {
        var handler = new RetriesLate(pauses: 20_000);
        using PipelineHarness<long> harness = PipelineHarness.Run(Pipeline.Of<long>(8).Stage("late", handler), new() { Limit = TimeSpan.FromMilliseconds(1) });
        harness.Source.Send(1);
        harness.Advance(TimeSpan.FromMinutes(1));
        Assert.Equal(0, harness.Pipeline["late"].Position);
    }

    /// <summary>Calls that take long leave the moments behind them as they are: what the handler waits for may begin late.</summary>
    [Fact]
    public void RunUntilIdle_CallsTakeLongerThanTheMoments_MomentsAreStillThere()
    {
        var limit = TimeSpan.FromSeconds(20);
        using PipelineHarness<long> harness = PipelineHarness.Run(
            Pipeline.Of<long>(8).Stage("slow", new RetriesSlowly(limit / 10, retries: 10_001)), new() { Limit = limit });
        harness.Source.Send(1);
        harness.RunUntilIdle();
        Assert.Equal(0, harness.Pipeline["slow"].Position);
    }

    /// <summary>Before time moves for another stage, a task that ends on the machine's time has a millisecond of it.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Settle_HandlerAwaitsElsewhere_TimeDoesNotRunAway(bool drains)
    {
        var idle = new Ages(new VirtualTime());
        using PipelineHarness<long> harness = PipelineHarness.Run(
            Pipeline.Of<long>(8).Stage("idle", idle, new() { IdleTimeout = s_pause }).Stage("slow", new Works()));
        harness.Source.Send(1);
        long from = Environment.TickCount64;
        if (drains) harness.Drain();
        else harness.Settle();
        Assert.InRange(idle.Idle, 0, 2 * (Environment.TickCount64 - from) + 2);
        Assert.Equal(0, harness.Pipeline["slow"].Position);
    }

    /// <summary>Another stage's due times go on for ever: the limit is one for the whole call, and not for each of them.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Settle_HandlerNeverEndsElsewhere_SaysSo(bool drains)
    {
        var never = new TaskCompletionSource();
        using PipelineHarness<long> harness = PipelineHarness.Run(
            Pipeline.Of<long>(8).Stage("never", new Awaits(never.Task)).Stage("idle", new Ages(new VirtualTime()), new() { IdleTimeout = s_pause }),
            new() { Limit = TimeSpan.FromMilliseconds(20) });
        harness.Source.Send(1);
        ContractException found = Assert.Throws<ContractException>(() =>
        {
            if (drains) harness.Drain();
            else harness.Settle();
        });
        Assert.Contains("'never' has 1 items before it and is waiting for its handler", found.Message, StringComparison.Ordinal);
        never.SetResult();
    }

    private sealed class Awaits(Task task) : IAsyncBatchHandler<long>
    {
        public async ValueTask OnBatchAsync(AsyncBatch<long> batch, CancellationToken cancellation) => await task;
    }

    private sealed class RetriesLate(int pauses) : IOutcomeHandler<long>
    {
        private int _calls;

        public BatchOutcome OnBatch(Batch<long> batch)
        {
            if (++_calls <= pauses) return BatchOutcome.RetryFrom(0, TimeSpan.FromMilliseconds(1));
            return _calls <= pauses + 100 ? BatchOutcome.RetryFrom(0) : BatchOutcome.Done;
        }
    }

    /// <summary>Its second call takes some of the machine's time.</summary>
    private sealed class RetriesSlowly(TimeSpan time, int retries) : IOutcomeHandler<long>
    {
        private int _calls;

        public BatchOutcome OnBatch(Batch<long> batch)
        {
            long end = Environment.TickCount64 + (long)time.TotalMilliseconds;
            if (++_calls == 2) SpinWait.SpinUntil(() => Environment.TickCount64 > end);
            return _calls <= retries ? BatchOutcome.RetryFrom(0) : BatchOutcome.Done;
        }
    }

    private sealed class Answers(BatchOutcome outcome) : IOutcomeHandler<long>
    {
        public BatchOutcome OnBatch(Batch<long> batch) => outcome;
    }

    private sealed class Works : IAsyncBatchHandler<long>
    {
        public async ValueTask OnBatchAsync(AsyncBatch<long> batch, CancellationToken cancellation) =>
            await Task.Delay(TimeSpan.FromMilliseconds(50), CancellationToken.None);
    }

    private sealed class Ages(VirtualTime time) : IBatchHandler<long>, IIdleHandler
    {
        public List<TimeSpan> At { get; } = [];

        public List<TimeSpan> Waited { get; } = [];

        public int Idle { get; private set; }

        public void OnBatch(Batch<long> batch)
        {
            At.Add(time.Elapsed);
            Waited.Add(batch.Age);
        }

        public void OnIdle() => Idle++;
    }

    private sealed class FailsFirst(VirtualTime time) : IEventHandler<long>
    {
        private long _failed = -1;

        public List<TimeSpan> At { get; } = [];

        public void OnEvent(ref long item, long sequence, bool endOfBatch)
        {
            if (_failed < sequence)
            {
                _failed = sequence;
                throw new FormatException("a fault of the test's own");
            }

            At.Add(time.Elapsed);
        }
    }

    private sealed class NeedsItsToken(VirtualTime time) : IAsyncBatchHandler<long>
    {
        public List<TimeSpan> At { get; } = [];

        public async ValueTask OnBatchAsync(AsyncBatch<long> batch, CancellationToken cancellation)
        {
            try
            {
                await Task.Delay(TimeSpan.FromDays(3), time, cancellation);
            }
            catch (OperationCanceledException)
            {
                At.Add(time.Elapsed);
            }
        }
    }
}
