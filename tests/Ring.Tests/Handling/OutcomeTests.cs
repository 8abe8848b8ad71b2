namespace Raceway.Rings.Tests;

/// <summary>What a handler's outcome does to its stage; sync and async handlers alike. Every stage is stepped by the test.</summary>
public sealed class OutcomeTests
{
    private readonly List<long> _handled = [];
    private readonly List<long[]> _offered = [];
    private readonly List<(long Item, FaultContext Context)> _dead = [];

    public static TheoryData<string> Kinds => ["class", "struct", "async", "later"];

    /// <summary>A stage whose handler answers its calls one after another, and with Done from then on.</summary>
    private (RingBuffer<long> Ring, Stage Stage, SingleProducer<long> Producer) Attach(
        string kind, FaultPolicy? onFault, Dispatch? dispatch, params BatchOutcome[] answers)
    {
        RingBuffer<long> ring = Make.Ring(16);
        int call = 0;
        StageOptions options = Make.Stepped(dispatch, onFault);
        BatchOutcome Answer(long[] items)
        {
            _offered.Add(items);
            BatchOutcome answer = call < answers.Length ? answers[call] : BatchOutcome.Done;
            call++;
            int done = answer == BatchOutcome.Done ? items.Length : Math.Min(items.Length, answer.Index);
            _handled.AddRange(items[..done]);
            return answer;
        }

        Stage stage = kind switch
        {
            "class" => ring.Subscribe(new OutcomeLambda<long>(batch => Answer(batch.ToArray())), options),
            "struct" => ring.Slots.SubscribeOutcomes(new Answering(Answer), options),
            "async" => ring.Subscribe(new AsyncOutcomeLambda<long>(batch => new(Answer(batch.ToArray()))), options),
            _ => ring.Subscribe(
                new AsyncOutcomeLambda<long>(async batch =>
                {
                    await Task.Yield();
                    return Answer(batch.ToArray());
                }),
                options),
        };
        return (ring, stage, ring.CreateProducer());
    }

    private struct Answering(Func<long[], BatchOutcome> answer) : IOutcomeHandler<long>
    {
        public int Calls { get; private set; }

        public BatchOutcome OnBatch(Batch<long> batch)
        {
            Calls++;
            return answer(batch.ToArray());
        }
    }

    private FaultPolicy Sink => FaultPolicy.DeadLetter((ref long item, in FaultContext context) => _dead.Add((item, context)));

    // A task or a rest may be under way.
    internal static Task Run(RingBuffer<long> ring, Stage stage, long last) => Watchdog.UntilAsync(
        () => stage.Step().Kind == StepKind.Stopped || stage.Position == last, ring);

    private static void Conserved(RingBuffer<long> ring, Stage stage, long published)
    {
        StageStatistics seen = stage.GetStatistics();
        Assert.Equal(published, seen.Items + seen.Skipped + seen.Tombstones + ring.Unprocessed);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task Done_Returned_IsTheWholeBatch(string kind)
    {
        (RingBuffer<long> ring, Stage stage, SingleProducer<long> producer) = Attach(kind, null, null);
        Make.PublishRange(producer, 0, 4);
        await Run(ring, stage, 4);
        Assert.Equal([[0, 1, 2, 3, 4]], _offered);
        Assert.Equal((1, 5), (stage.GetStatistics().Batches, stage.GetStatistics().Items));
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task Consumed_PartOfTheBatch_RestComesWithWhatCameMeanwhile(string kind)
    {
        (RingBuffer<long> ring, Stage stage, SingleProducer<long> producer) =
            Attach(kind, null, Dispatch.Batch(min: 4), BatchOutcome.Consumed(3), BatchOutcome.Consumed(3));
        Make.PublishRange(producer, 0, 4);
        await Run(ring, stage, 2);
        // Told downstream at once; what is left is owed, though it is below the minimum.
        Assert.Equal(2, stage.Position);
        producer.Publish(5);
        await Run(ring, stage, 5);
        Assert.Equal([[0, 1, 2, 3, 4], [3, 4, 5]], _offered);
        Assert.Equal((2, 6, 0, 0), Counts(stage));
        Conserved(ring, stage, 6);
    }

    private static (long Batches, long Items, long Retries, long Skipped) Counts(Stage stage)
    {
        StageStatistics seen = stage.GetStatistics();
        Assert.Equal(0, seen.Faults);
        return (seen.Batches, seen.Items, seen.Retries, seen.Skipped);
    }

    [Fact]
    public void Consumed_Nothing_RestsUntilMoreCanJoin()
    {
        (_, Stage stage, SingleProducer<long> producer) =
            Attach("class", null, null, BatchOutcome.Consumed(0), BatchOutcome.Consumed(0));
        producer.Publish([0, 1]);
        Assert.Equal(StepKind.Pending, stage.Step().Kind);
        WaitTarget target = stage.NextTarget();
        Assert.False(target.IsOver);
        // At the latest when its rest is over, whatever comes.
        Assert.InRange(target.Deadline, 1, MachineClock.In(TimeSpan.FromMilliseconds(1)));

        producer.Publish(2);
        Assert.True(target.IsOver);
        Assert.Equal(StepKind.Pending, stage.Step().Kind);
        Assert.Equal([[0, 1], [0, 1, 2]], _offered);
        Assert.Equal((0, 0, 0, 0), Counts(stage));
        Assert.Equal(-1, stage.Position);
    }

    [Theory]
    [InlineData("limit")]
    [InlineData("tombstone")]
    [InlineData("weight")]
    public async Task Consumed_NothingAndNothingCanJoin_RestsForItsTimeAlone(string cut)
    {
        RingBuffer<long> ring = Make.Ring(16, ProducerKind.Multi);
        int calls = 0;
        Dispatch dispatch = cut switch
        {
            "limit" => Dispatch.Batch(max: 2),
            "weight" => Dispatch.Batch(maxWeight: 2),
            _ => Dispatch.Batch(),
        };
        Stage stage = ring.Subscribe(
            new OutcomeLambda<long>(batch =>
            {
                Assert.Equal(2, batch.Count);
                return ++calls < 3 ? BatchOutcome.Consumed(0) : BatchOutcome.Done;
            }),
            Make.Stepped(dispatch) with { Weigher = Weigher.By(static (ref readonly long _) => 1) });
        Producer<long> producer = Make.Producer(ring);
        producer.Publish([0, 1]);
        if (cut == "tombstone") producer.Claim().Abort();
        producer.Publish([2, 3]);

        Assert.Equal(StepKind.Pending, stage.Step().Kind);
        Assert.Equal(Progress.Never, stage.NextTarget().Awaited);
        await Run(ring, stage, cut == "tombstone" ? 4 : 3);
        Assert.Equal(4, calls);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task Consumed_NothingForEver_KeepsADrainFromItsEnd(string kind)
    {
        (RingBuffer<long> ring, Stage stage, SingleProducer<long> producer) =
            Attach(kind, null, null, [.. Enumerable.Repeat(BatchOutcome.Consumed(0), 100_000)]);
        producer.Publish([0, 1]);
        stage.Step();
        DrainResult result = await Watchdog.Await(ring.DrainAsync(TimeSpan.Zero), ring);
        Assert.Equal(DrainStatus.TimedOut, result.Status);
        await Watchdog.Await(ring.HaltAsync(), ring);
        Assert.Equal(2, ring.Unprocessed);
        Conserved(ring, stage, 2);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task RetryFrom_Item_IsOfferedAgainFromThere(string kind)
    {
        (RingBuffer<long> ring, Stage stage, SingleProducer<long> producer) = Attach(
            kind, Sink, null, BatchOutcome.RetryFrom(2), BatchOutcome.RetryFrom(0), BatchOutcome.DeadLetter(0));
        Make.PublishRange(producer, 0, 4);
        await Run(ring, stage, 4);
        Assert.Equal([[0, 1, 2, 3, 4], [2, 3, 4], [2, 3, 4], [3, 4]], _offered);
        Assert.Equal((2, 4, 2, 1), Counts(stage));
        // Attempts are counted as those of a policy's retries are.
        Assert.Equal(3, Assert.Single(_dead).Context.Attempt);
        Conserved(ring, stage, 5);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task RetryFrom_WithDelay_IsPendingUntilItIsDue(string kind)
    {
        (RingBuffer<long> ring, Stage stage, SingleProducer<long> producer) =
            Attach(kind, null, null, BatchOutcome.RetryFrom(1, TimeSpan.FromHours(1)));
        Make.PublishRange(producer, 0, 4);
        await Run(ring, stage, 0);
        producer.Publish(5);
        Assert.Equal(StepKind.Pending, stage.Step().Kind);
        WaitTarget target = stage.NextTarget();
        Assert.Equal(Progress.Never, target.Awaited);
        Assert.InRange(target.Deadline, MachineClock.In(TimeSpan.FromMinutes(1)), MachineClock.In(TimeSpan.FromHours(1)));
        Assert.Single(_offered);
        await Watchdog.Await(ring.HaltAsync(), ring);
        Assert.Equal(5, ring.Unprocessed);
        Conserved(ring, stage, 6);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task Skip_Item_PassesOverThatOneOnly(string kind)
    {
        (RingBuffer<long> ring, Stage stage, SingleProducer<long> producer) =
            Attach(kind, null, Dispatch.Batch(min: 4), BatchOutcome.Skip(2), BatchOutcome.Skip(0), BatchOutcome.Skip(0));
        Make.PublishRange(producer, 0, 4);
        await Run(ring, stage, 4);
        Assert.Equal([[0, 1, 2, 3, 4], [3, 4], [4]], _offered);
        Assert.Equal([0, 1], _handled);
        Assert.Equal((1, 2, 0, 3), Counts(stage));
        Conserved(ring, stage, 5);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task DeadLetter_Item_GoesToTheSinkOfThePolicy(string kind)
    {
        var cause = new FormatException("bad item");
        (RingBuffer<long> ring, Stage stage, SingleProducer<long> producer) = Attach(
            kind,
            FaultPolicy.Retry(1, TimeSpan.Zero, Sink),
            null,
            BatchOutcome.DeadLetter(1, cause), BatchOutcome.DeadLetter(0));
        Make.PublishRange(producer, 0, 3);
        await Run(ring, stage, 3);
        Assert.Equal([1L, 2L], _dead.Select(dead => dead.Item));
        Assert.Same(cause, _dead[0].Context.Fault);
        Assert.Contains("DeadLetter(0)", _dead[1].Context.Fault.Message, StringComparison.Ordinal);
        Assert.Equal((2, 2, 0, 2), Counts(stage));
        Assert.Equal(2, stage.GetStatistics().DeadLettered);
        Conserved(ring, stage, 4);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task Stop_Returned_FaultsTheRingWithItsCause(string kind)
    {
        var cause = new FormatException("no more");
        (RingBuffer<long> ring, Stage stage, SingleProducer<long> producer) =
            Attach(kind, FaultPolicy.Skip, null, BatchOutcome.Consumed(1), BatchOutcome.Stop(cause));
        Make.PublishRange(producer, 0, 3);
        await Run(ring, stage, 3);
        RingFaultedException fault = await Assert.ThrowsAsync<RingFaultedException>(() => Watchdog.Await(ring.Completion, ring));
        Assert.Same(cause, fault.InnerException);
        Assert.Throws<RingFaultedException>(() => producer.Publish(9));
        Assert.Equal(0, stage.Position);
        Assert.Equal((1, 1, 0, 0), Counts(stage));
        Assert.Equal(3, ring.Unprocessed);
        Conserved(ring, stage, 4);
    }

    [Theory]
    [InlineData("each")]
    [InlineData("single")]
    public async Task Outcomes_EachOrSingle_AreOfBatchesOfOne(string level)
    {
        (RingBuffer<long> ring, Stage stage, SingleProducer<long> producer) = Attach(
            "class", null, level == "each" ? Dispatch.Each() : Dispatch.Single, BatchOutcome.Consumed(0), BatchOutcome.Skip(0));
        Make.PublishRange(producer, 0, 2);
        await Run(ring, stage, 2);
        Assert.Equal([[0], [0], [1], [2]], _offered);
        Assert.Equal((1, 2, 0, 1), Counts(stage));
    }

    [Fact]
    public void Outcome_BehindMarks_CountsFromTheBatch()
    {
        RingBuffer<long> ring = Make.Ring(16);
        bool first = true;
        Stage stage = ring.Subscribe(
            new OutcomeLambda<long>(batch =>
            {
                if (!first) return BatchOutcome.Done;
                first = false;
                batch.Complete(2);
                return BatchOutcome.Skip(2);
            }),
            Make.Stepped());
        Make.PublishRange(ring.CreateProducer(), 0, 4);
        Make.StepAll(stage);
        Assert.Equal((2, 4, 0, 1), Counts(stage));
    }

    [Fact]
    public void StructHandler_State_IsWrittenBack()
    {
        (_, Stage stage, SingleProducer<long> producer) = Attach("struct", null, null, BatchOutcome.Consumed(1));
        producer.Publish([0, 1]);
        Make.StepAll(stage);
        Assert.Equal(2, stage.GetHandler<Answering>().Calls);
    }
}
