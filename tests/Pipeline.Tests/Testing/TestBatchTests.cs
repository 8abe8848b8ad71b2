using Raceway.Rings;
using Raceway.Testing;

namespace Raceway.Pipelines.Tests.Testing;

/// <summary>A batch for the unit test of a handler is as a stage would give it.</summary>
public sealed class TestBatchTests
{
    private static readonly TimeSpan s_minute = TimeSpan.FromMinutes(1);

    [Fact]
    public void GiveTo_Plain_HasTheItemsInOneSpan()
    {
        var handler = new Looks();
        HandedBatch<long> handed = TestBatch.Of<long>(1, 2, 3).GiveTo(handler);
        Assert.Equal(["3+0, depth 3, age 00:00:00, Drained"], handler.Seen);
        Assert.Equal((3, 0, 0), (handed.Done, handed.Skipped, handed.Faults));
        Assert.Null(handed.Fault);
        Assert.Equal([10, 20, 30], handed.Items);
    }

    [Fact]
    public void GiveTo_WrappedAgedAndFull_HasWhatAStageWouldSay()
    {
        var handler = new Looks();
        TestBatch<long> batch = TestBatch.Of<long>(1, 2, 3);
        batch.WrappedAfter(1).GiveTo(handler);
        batch.WrappedAfter(2).Aged(s_minute).GiveTo(handler);
        batch.WithBehind(5).GiveTo(handler);
        batch.WithBehind(2).Aged(2 * s_minute).GiveTo(handler);
        Assert.Equal(
            [
                "1+2, depth 3, age 00:00:00, Drained", "2+1, depth 3, age 00:01:00, Age", "3+0, depth 8, age 00:00:00, Full",
                "3+0, depth 5, age 00:02:00, Full",
            ],
            handler.Seen);
    }

    [Fact]
    public void GiveTo_HandlerThrows_SaysWhatIsDone()
    {
        HandedBatch<long> handed = TestBatch.Of<long>(1, 2, 3).GiveTo(new FailsAt(2, times: 1));
        Assert.Equal((1, 1), (handed.Done, handed.Faults));
        Assert.IsType<FormatException>(handed.Fault);
    }

    [Fact]
    public void GiveTo_HandlerThrowsWithAPolicy_GoesOnAsItSays()
    {
        var retried = new FailsAt(2, times: 1);
        HandedBatch<long> done = TestBatch.Of<long>(1, 2, 3).WithPolicy(FaultPolicy.Retry(1, s_minute)).GiveTo(retried);
        Assert.Equal((3, 0, 1), (done.Done, done.Skipped, done.Faults));
        Assert.Equal([1, 2, 3], retried.Rows);

        var skipped = new FailsAt(2, times: 9);
        HandedBatch<long> left = TestBatch.Of<long>(1, 2, 3).WithPolicy(FaultPolicy.Skip).GiveTo(skipped);
        Assert.Equal((3, 1), (left.Done, left.Skipped));
        Assert.Equal([1, 3], skipped.Rows);
    }

    [Fact]
    public void GiveTo_EveryKindOfHandler_IsCalledAsItSays()
    {
        List<long> seen = [];
        Assert.Equal(2, TestBatch.Of<long>(1, 2).GiveTo((ref long item) => seen.Add(item)).Done);
        Assert.Equal([1, 2], seen);
        Assert.Equal(2, TestBatch.Of<long>(1, 2).GiveTo(new Awaits()).Done);
        HandedBatch<long> skipped = TestBatch.Of<long>(1, 2).GiveTo(new SkipsTheFirst());
        Assert.Equal((2, 1), (skipped.Done, skipped.Skipped));
    }

    [Fact]
    public void GiveTo_HandlerAwaitsElsewhere_IsWaitedFor()
    {
        var handler = new Yields();
        Assert.Equal(2, TestBatch.Of<long>(1, 2).GiveTo(handler).Done);
        Assert.False(handler.IsCancelled);
    }

    [Fact]
    public void GiveTo_HandlerAnswersZeroUntilItsOwnWorkHasEnded_IsWaitedFor()
    {
        BatchOutcome[] outcomes = [BatchOutcome.Consumed(0), BatchOutcome.RetryFrom(0), BatchOutcome.RetryFrom(0, s_minute)];
        foreach (BatchOutcome outcome in outcomes) Assert.Equal(2, TestBatch.Of<long>(1, 2).GiveTo(new WorksMeanwhile(outcome)).Done);
    }

    [Fact]
    public void GiveTo_HandlerNeverGoesOn_SaysSo()
    {
        BatchOutcome[] outcomes = [BatchOutcome.Consumed(0), BatchOutcome.RetryFrom(0), BatchOutcome.RetryFrom(0, s_minute)];
        foreach (BatchOutcome outcome in outcomes)
        {
            ContractException found = Assert.Throws<ContractException>(() => TestBatch.Of<long>(1, 2, 3).GiveTo(new Answers(outcome)));
            Assert.Equal("A handler that is called again and again must go on in the end.", found.Rule);
            Assert.Contains("'handler' was called 10,000 times", found.Message, StringComparison.Ordinal);
        }

        FaultPolicy retries = FaultPolicy.Decide<long>(static (ref long _, in FaultContext _) => FaultAction.Retry, backoff: s_minute);
        Assert.Throws<ContractException>(() => TestBatch.Of<long>(1, 2, 3).WithPolicy(retries).GiveTo(new FailsAt(2, int.MaxValue)));
    }

    [Fact]
    public void Of_WrongValues_AreRefused()
    {
        Assert.Throws<ArgumentNullException>(static () => TestBatch.Of<long>(null!));
        Assert.Throws<ArgumentException>(static () => TestBatch.Of<long>());
        TestBatch<long> batch = TestBatch.Of<long>(1, 2);
        foreach (int first in new[] { int.MinValue, 0, 2, int.MaxValue }) Assert.Throws<ArgumentOutOfRangeException>(() => batch.WrappedAfter(first));
        foreach (int more in new[] { int.MinValue, 0 }) Assert.Throws<ArgumentOutOfRangeException>(() => batch.WithBehind(more));
        Assert.Throws<ArgumentOutOfRangeException>(() => batch.Aged(TimeSpan.Zero));
        Assert.Throws<ArgumentNullException>(() => batch.WithPolicy(null!));
        Assert.Throws<ArgumentNullException>(() => batch.GiveTo((SlotAction<long>)null!));
        Assert.Throws<ArgumentNullException>(() => batch.GiveTo<IBatchHandler<long>>(null!));
    }

    private sealed class Looks : IBatchHandler<long>
    {
        public List<string> Seen { get; } = [];

        public void OnBatch(Batch<long> batch)
        {
            Seen.Add($"{batch.First.Length}+{batch.Second.Length}, depth {batch.Depth}, age {batch.Age}, {batch.CloseReason}");
            foreach (ref long item in batch) item *= 10;
        }
    }

    private sealed class FailsAt(long wrong, int times) : IBatchHandler<long>
    {
        private int _left = times;

        public List<long> Rows { get; } = [];

        public void OnBatch(Batch<long> batch)
        {
            for (int i = 0; i < batch.Count; i++)
            {
                if (batch[i] == wrong && _left-- > 0) throw new FormatException("a fault of the test's own");
                Rows.Add(batch[i]);
                batch.Complete(i + 1);
            }
        }
    }

    private sealed class Awaits : IAsyncBatchHandler<long>
    {
        public async ValueTask OnBatchAsync(AsyncBatch<long> batch, CancellationToken cancellation) => await Task.CompletedTask;
    }

    private sealed class Yields : IAsyncBatchHandler<long>
    {
        public bool IsCancelled { get; private set; }

        public async ValueTask OnBatchAsync(AsyncBatch<long> batch, CancellationToken cancellation)
        {
            await Task.Yield();
            IsCancelled = cancellation.IsCancellationRequested;
        }
    }

    // On a thread of its own: the pool may be held up.
    private sealed class WorksMeanwhile(BatchOutcome until) : IOutcomeHandler<long>
    {
        private Thread? _work;

        public BatchOutcome OnBatch(Batch<long> batch)
        {
            if (_work is null)
            {
                _work = new Thread(static () => Thread.Sleep(200)) { IsBackground = true };
                _work.Start();
            }

            return _work.IsAlive ? until : BatchOutcome.Done;
        }
    }

    private sealed class Answers(BatchOutcome outcome) : IOutcomeHandler<long>
    {
        public BatchOutcome OnBatch(Batch<long> batch) => outcome;
    }

    private sealed class SkipsTheFirst : IOutcomeHandler<long>
    {
        private bool _hasSkipped;

        public BatchOutcome OnBatch(Batch<long> batch)
        {
            if (_hasSkipped) return BatchOutcome.Done;
            _hasSkipped = true;
            return BatchOutcome.Skip(0);
        }
    }
}
