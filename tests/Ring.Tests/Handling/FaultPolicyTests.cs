namespace Raceway.Rings.Tests;

/// <summary>Faults of event handlers and of the policies themselves. Every stage is stepped by the test.</summary>
public sealed class FaultPolicyTests
{
    private readonly List<long> _handled = [];

    private (RingBuffer<long> Ring, Stage Stage) Attach(
        FaultPolicy onFault, Func<long, bool> fails, Dispatch? dispatch = null, int items = 6)
    {
        var ring = Make.Ring(16);
        Stage stage = ring.Subscribe(
            new EventLambda<long>((ref long item, long _, bool _) =>
            {
                if (fails(item)) throw new FormatException($"item {item}");
                _handled.Add(item);
            }),
            Make.Stepped(dispatch, onFault));
        Make.PublishRange(ring.CreateProducer(), 0, items - 1);
        return (ring, stage);
    }

    public static TheoryData<string> Levels => ["single", "each", "batch"];

    private static Dispatch Level(string name) => name switch
    {
        "single" => Dispatch.Single,
        "each" => Dispatch.Each(),
        _ => Dispatch.Batch(),
    };

    [Theory]
    [MemberData(nameof(Levels))]
    public async Task Stop_HandlerThrows_RingFaultsBehindTheLastCompleted(string level)
    {
        (RingBuffer<long> ring, Stage stage) = Attach(FaultPolicy.Stop, item => item == 3, Level(level));
        Assert.Equal(StepKind.Stopped, stage.Step().Kind);
        Assert.Equal([0, 1, 2], _handled);
        Assert.Equal(2, stage.Position);
        Assert.Equal(RingState.Faulted, ring.State);
        var fault = await Assert.ThrowsAsync<RingFaultedException>(() => Watchdog.Await(ring.Completion, ring));
        Assert.Equal(stage.Name, fault.Stage);
        Assert.IsType<FormatException>(fault.InnerException);
        Assert.Equal(3, ring.Unprocessed);
    }

    [Theory]
    [MemberData(nameof(Levels))]
    public void Skip_HandlerThrows_PassesThatItemOnly(string level)
    {
        (_, Stage stage) = Attach(FaultPolicy.Skip, item => item is 0 or 3 or 5, Level(level));
        Make.StepAll(stage);
        Assert.Equal([1, 2, 4], _handled);
        Assert.Equal(5, stage.Position);
        StageStatistics seen = stage.GetStatistics();
        Assert.Equal((3, 3, 3), (seen.Items, seen.Skipped, seen.Faults));
    }

    [Theory]
    [MemberData(nameof(Levels))]
    public void Retry_SucceedsInTime_HandlesEachOnce(string level)
    {
        int failures = 2;
        (_, Stage stage) = Attach(FaultPolicy.Retry(2, TimeSpan.Zero), item => item == 3 && failures-- > 0, Level(level));
        Make.StepAll(stage);
        Assert.Equal(Make.Range(0, 5), _handled);
        Assert.Equal(2, stage.GetStatistics().Retries);
        Assert.Equal(0, stage.GetStatistics().Skipped);
    }

    [Fact]
    public void Retry_Exhausted_StopsByDefault()
    {
        int calls = 0;
        (RingBuffer<long> ring, Stage stage) =
            Attach(FaultPolicy.Retry(3, TimeSpan.Zero), item => item == 1 && ++calls > 0);
        Make.StepAll(stage);
        Assert.Equal(4, calls);
        Assert.Equal(RingState.Faulted, ring.State);
    }

    [Fact]
    public void Retry_ExhaustedThenSkip_GoesOn()
    {
        (_, Stage stage) = Attach(FaultPolicy.Retry(3, TimeSpan.Zero, FaultPolicy.Skip), item => item == 1);
        Make.StepAll(stage);
        Assert.Equal([0, 2, 3, 4, 5], _handled);
        Assert.Equal(3, stage.GetStatistics().Retries);
        Assert.Equal(4, stage.GetStatistics().Faults);
        Assert.Equal(1, stage.GetStatistics().Skipped);
    }

    [Fact]
    public void Retry_ExhaustedThenDeadLetter_CountsTheAttempts()
    {
        int attempt = 0;
        (_, Stage stage) = Attach(
            FaultPolicy.Retry(3, TimeSpan.Zero, FaultPolicy.DeadLetter<long>(
                (ref long _, in FaultContext context) => attempt = context.Attempt)),
            item => item == 1);
        Make.StepAll(stage);
        Assert.Equal(4, attempt);
        Assert.Equal(1, stage.GetStatistics().DeadLettered);
    }

    [Fact]
    public void Retry_AttemptsAreCountedForEachItem()
    {
        Dictionary<long, int> failures = new() { [1] = 2, [2] = 2, [4] = 2 };
        (_, Stage stage) = Attach(
            FaultPolicy.Retry(2, TimeSpan.Zero),
            item => failures.TryGetValue(item, out int left) && left > 0 && failures[item]-- > 0);
        Make.StepAll(stage);
        Assert.Equal(Make.Range(0, 5), _handled);
        Assert.Equal(6, stage.GetStatistics().Retries);
    }

    [Fact]
    public void Retry_ThousandsWithoutPause_AreAllTried()
    {
        int failures = 3000;
        (RingBuffer<long> ring, Stage stage) =
            Attach(FaultPolicy.Retry(5000, TimeSpan.Zero), item => item == 1 && failures-- > 0);
        Make.StepAll(stage);
        Assert.Equal(RingState.Created, ring.State);
        Assert.Equal(Make.Range(0, 5), _handled);
    }

    [Fact]
    public void Retry_WithPause_IsPendingUntilItIsDue()
    {
        int failures = 1;
        (_, Stage stage) = Attach(FaultPolicy.Retry(1, TimeSpan.FromDays(1)), item => item == 2 && failures-- > 0);
        Assert.Equal(StepKind.Pending, stage.Step().Kind);
        Assert.Equal(StepKind.Pending, stage.Step().Kind);
        Assert.Equal([0, 1], _handled);
        Assert.Equal(1, stage.Position);
        WaitTarget target = stage.NextTarget();
        Assert.InRange(target.Clock.Until(target.Deadline), TimeSpan.FromTicks(1), TimeSpan.FromDays(1));
    }

    [Fact]
    public async Task Retry_WithPauseOnAThread_SucceedsLater()
    {
        int failures = 2;
        var ring = Make.Ring(16);
        ring.Subscribe(
            new EventLambda<long>((ref long item, long _, bool _) =>
            {
                if (item == 2 && failures-- > 0) throw new FormatException();
                _handled.Add(item);
            }),
            new StageOptions { OnFault = FaultPolicy.Retry(2, TimeSpan.FromMilliseconds(1)) });
        ring.Start();
        Make.PublishRange(ring.CreateProducer(), 0, 4);
        Assert.True((await Watchdog.Await(ring.DrainAsync(Timeout.InfiniteTimeSpan), ring)).IsDrained);
        Assert.Equal(Make.Range(0, 4), _handled);
    }

    [Fact]
    public void Decide_EachAnswer_IsFollowed()
    {
        List<(long Item, int Attempt)> asked = [];
        (RingBuffer<long> ring, Stage stage) = Attach(
            FaultPolicy.Decide<long>((ref long item, in FaultContext context) =>
            {
                asked.Add((item, context.Attempt));
                return item switch
                {
                    1 => FaultAction.Skip,
                    2 => context.Attempt < 3 ? FaultAction.Retry : FaultAction.Skip,
                    _ => FaultAction.Stop,
                };
            }),
            item => item is 1 or 2 or 4);
        Make.StepAll(stage);
        Assert.Equal([0, 3], _handled);
        Assert.Equal([(1L, 1), (2L, 1), (2L, 2), (2L, 3), (4L, 1)], asked);
        Assert.Equal(RingState.Faulted, ring.State);
        Assert.Equal(3, stage.Position);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task PolicyItselfThrows_RingFaultsAndPassesNothing(bool letter)
    {
        FaultPolicy policy = letter
            ? FaultPolicy.DeadLetter<long>((ref long _, in FaultContext _) => throw new IOException("sink"))
            : FaultPolicy.Decide<long>((ref long _, in FaultContext _) => throw new IOException("decider"));
        (RingBuffer<long> ring, Stage stage) = Attach(policy, item => item == 2);
        Make.StepAll(stage);
        Assert.Equal(1, stage.Position);
        Assert.Equal(0, stage.GetStatistics().Skipped);
        var fault = await Assert.ThrowsAsync<RingFaultedException>(() => Watchdog.Await(ring.Completion, ring));
        var both = Assert.IsType<AggregateException>(fault.InnerException);
        Assert.Equal([typeof(FormatException), typeof(IOException)], both.InnerExceptions.Select(each => each.GetType()));
    }

    [Fact]
    public void Subscribe_PolicyOfAnotherType_IsRefused()
    {
        var ring = Make.Ring();
        FaultPolicy foreign = FaultPolicy.DeadLetter<int>((ref int _, in FaultContext _) => { });
        Assert.Throws<ArgumentException>(
            () => ring.Subscribe(new Recorder(), new StageOptions { OnFault = foreign }));
        Assert.Throws<ArgumentException>(() => ring.Subscribe(
            new Recorder(), new StageOptions { OnFault = FaultPolicy.Retry(1, TimeSpan.Zero, foreign) }));
        Assert.Empty(ring.Stages);
    }

    [Fact]
    public void Create_BadArguments_Throw()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => FaultPolicy.Retry(0, TimeSpan.Zero));
        Assert.Throws<ArgumentOutOfRangeException>(() => FaultPolicy.Retry(1, TimeSpan.FromTicks(-1)));
        Assert.Throws<ArgumentException>(
            () => FaultPolicy.Retry(1, TimeSpan.Zero, FaultPolicy.Retry(1, TimeSpan.Zero)));
        Assert.Throws<ArgumentNullException>(() => FaultPolicy.DeadLetter<long>(null!));
        Assert.Throws<ArgumentNullException>(() => FaultPolicy.Decide<long>(null!));
    }

    private struct Counting : IEventHandler<long>, IBatchHandler<long>
    {
        public int Handled;

        public void OnEvent(ref long item, long sequence, bool endOfBatch)
        {
            if (item == 3) throw new FormatException();
            Handled++;
        }

        public void OnBatch(Batch<long> batch)
        {
            foreach (ref long item in batch) OnEvent(ref item, 0, false);
        }
    }

    [Fact]
    public void StructEventHandler_Throws_StateIsWrittenBack()
    {
        var ring = Make.Ring(16);
        Stage stage = ring.Slots.SubscribeEvents(new Counting(), Make.Stepped(onFault: FaultPolicy.Skip));
        Make.PublishRange(ring.CreateProducer(), 0, 5);
        Make.StepAll(stage);
        Assert.Equal(5, stage.GetHandler<Counting>().Handled);
    }

    [Fact]
    public void StructBatchHandler_Throws_StateIsWrittenBack()
    {
        var ring = Make.Ring(16);
        Stage stage = ring.Slots.SubscribeBatches(new Counting(), Make.Stepped(onFault: FaultPolicy.Stop));
        Make.PublishRange(ring.CreateProducer(), 0, 5);
        stage.Step();
        Assert.Equal(3, stage.GetHandler<Counting>().Handled);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(7)]
    public async Task Conservation_FaultsAbortsAndHalt_AddsUp(int seed)
    {
        // published = handled + skipped + tombstones + unprocessed, whatever happens.
        var random = new Random(seed);
        var ring = Make.Ring(64, ProducerKind.Multi);
        Stage stage = ring.Subscribe(
            new EventLambda<long>((ref long item, long _, bool _) =>
            {
                if (item % 7 == 0) throw new FormatException();
                _handled.Add(item);
            }),
            Make.Stepped(Dispatch.Batch(max: 5), FaultPolicy.Skip));
        using MultiProducer<long> producer = ring.CreateMultiProducer();
        long claimed = 0;
        for (int i = 0; i < 500; i++)
        {
            if (random.Next(3) == 0) stage.Step();
            if (producer.TryClaim(random.Next(1, 5), out Claim<long> claim) != ClaimStatus.Done) continue;
            int count = random.Next(0, claim.Count + 1);
            for (int k = 0; k < claim.Count; k++) claim[k] = claimed + k;
            claimed += claim.Count;
            claim.Commit(count);
        }

        await Watchdog.Await(ring.HaltAsync(), ring);
        StageStatistics seen = stage.GetStatistics();
        long buriedAhead = 0;
        for (long sequence = stage.Position + 1; sequence < claimed; sequence++)
            if (ring.Sequencer.IsTombstone(sequence)) buriedAhead++;
        Assert.Equal(_handled.Count, seen.Items);
        Assert.Equal(claimed, seen.Items + seen.Skipped + seen.Tombstones + ring.Unprocessed + buriedAhead);
        Assert.True(seen.Skipped > 0 && seen.Tombstones > 0 && ring.Unprocessed > 0);
    }
}
