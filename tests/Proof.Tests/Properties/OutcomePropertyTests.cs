using FsCheck;
using FsCheck.Fluent;

namespace Raceway.Proof.Tests.Properties;

/// <summary>
/// Whatever a handler returns and drops, under whatever limits of number and weight: batches are those of a model, and each
/// item is handled, skipped or dropped, once and in order.
/// </summary>
public sealed class OutcomePropertyTests
{
    private const int MostWeight = 8;

    internal enum Turn
    {
        Publish,
        Step,
        Policy,
        Wait,
        Complete,
    }

    internal enum Answer
    {
        Done,
        Consumed,
        RetryFrom,
        Skip,
        DeadLetter,
    }

    internal sealed record Move(Turn Turn, Answer Answer, int A, int B, int C);

    internal sealed record Case(int Capacity, Move[] Moves)
    {
        public override string ToString() => $"capacity {Capacity}";
    }

    private enum Fate
    {
        Handled,
        Skipped,
        Dead,
        Dropped,
    }

    private sealed class Model(int capacity)
    {
        private readonly List<int> _weights = [];
        private long _seen = -1;
        private long _owed = -1;
        private CloseReason _reason;
        private bool _looks;
        private bool _rests;
        private long _restsFor;

        public List<Fate> Fates { get; } = [];

        public Dispatch Dispatch { get; set; } = Dispatch.Batch();

        public bool Closing { get; set; }

        public long Published => _weights.Count;

        public int Retries { get; private set; }

        public int Room => (int)(capacity - (_weights.Count - Fates.Count));

        private long Next => Fates.Count;

        public void Publish(int weight) => _weights.Add(weight);

        /// <summary>Whether it may rest at its next step, and whether it must, but for the time.</summary>
        public (bool May, bool Wakes) Rest => (_rests, _rests && _restsFor >= 0 && _restsFor < _weights.Count);

        /// <summary>The batch that the next step hands over; of no items where it is idle.</summary>
        public (long First, int Count, CloseReason Reason, long Known) Offer(int quantum)
        {
            if (_looks) (_seen, _reason) = (_weights.Count - 1, CloseReason.Drained);
            _looks = _rests = false;
            if (_seen - Next + 1 < Dispatch.Min)
            {
                _seen = _weights.Count - 1;
                long there = _seen - Next + 1;
                if (there <= 0) return default;
                _reason = CloseReason.Drained;
                if (there < Dispatch.Min && Next > _owed)
                {
                    if (!Closing) return default;
                    _reason = CloseReason.Stop;
                }
            }

            long known = _seen - Next + 1;
            long limit = Math.Min(known, Dispatch.Max ?? known);
            long fits = ByWeight(Math.Min(limit, quantum));
            bool heavy = fits < Math.Min(limit, quantum);
            long count = Math.Min(limit, Math.Min(quantum, fits));
            if (count < limit || quantum < (Dispatch.Max ?? int.MaxValue)) _owed = Math.Max(_owed, Next + limit - 1);
            CloseReason reason = count == known ? _reason
                : heavy ? CloseReason.Weight
                : quantum < (Dispatch.Max ?? int.MaxValue) ? CloseReason.Cut : CloseReason.Full;
            return (Next, (int)count, reason, known);
        }

        private long ByWeight(long most)
        {
            long total = 0;
            for (int i = 0; i < most; i++)
            {
                total += _weights[(int)Next + i];
                if (i > 0 && total > Dispatch.MaxWeight) return i;
            }

            return most;
        }

        /// <summary>What becomes of <paramref name="count"/> items, of which the first <paramref name="dropped"/> were dropped.</summary>
        public void Take(Answer answer, int n, int count, int dropped)
        {
            long last = Next + count - 1;
            Fates.AddRange(Enumerable.Repeat(Fate.Dropped, dropped));
            int done = answer == Answer.Done ? count : n;
            Fates.AddRange(Enumerable.Repeat(Fate.Handled, done - dropped));
            if (done == count) return;
            _owed = Math.Max(_owed, last);
            switch (answer)
            {
                case Answer.Consumed:
                    _looks = true;
                    _rests = done == 0;
                    _restsFor = _seen == last ? _seen + 1 : -1;
                    break;
                case Answer.RetryFrom:
                    Retries++;
                    break;
                default:
                    Fates.Add(answer == Answer.Skip ? Fate.Skipped : Fate.Dead);
                    break;
            }
        }
    }

    [Fact]
    public Task Outcomes_AnyWeightsLimitsAndDrops_AreThoseOfTheModel() => Cases.Check(Cases.Count(600), Drawn, Shrink, Run);

    private static Gen<Case> Drawn { get; } =
        from shift in Gen.Choose(1, 4)
        from length in Gen.Choose(2, 60)
        from moves in (
            from turn in Gen.Frequency(
                (10, Gen.Constant(Turn.Publish)), (12, Gen.Constant(Turn.Step)), (2, Gen.Constant(Turn.Policy)),
                (1, Gen.Constant(Turn.Wait)), (1, Gen.Constant(Turn.Complete)))
            from answer in Gen.Elements(Enum.GetValues<Answer>())
            from a in Gen.Choose(0, 99)
            from b in Gen.Choose(0, 99)
            from c in Gen.Choose(0, 99)
            select new Move(turn, answer, a, b, c)).ArrayOf(length)
        select new Case(2 << shift, moves);

    private static IEnumerable<Case> Shrink(Case one) => Cases.Shorter(one.Moves).Select(fewer => one with { Moves = fewer });

    private static int Run(Case one, Trace? trace)
    {
        var time = new WatchedTime();
        RingBuffer<long> ring = Make.Ring(one.Capacity, time: time);
        var model = new Model(one.Capacity);
        var under = new UnderTest(model);
        Stage stage = ring.Subscribe(under, Make.Stepped(onFault: FaultPolicy.DeadLetter<long>(under.Dead)) with
        {
            Weigher = Weigher.By(static (ref readonly long item) => item % MostWeight),
        });
        SingleProducer<long> producer = ring.CreateProducer();
        foreach (Move move in one.Moves)
        {
            switch (move.Turn)
            {
                case Turn.Publish when model is { Room: > 0, Closing: false }:
                    long item = model.Published * MostWeight + move.A % MostWeight;
                    Assert.Equal(ClaimStatus.Done, producer.TryPublish(item));
                    model.Publish(move.A % MostWeight);
                    trace?.Add($"publish, weight {move.A % MostWeight}");
                    break;
                case Turn.Policy:
                    int max = 1 + move.A % one.Capacity;
                    stage.Dispatch = model.Dispatch = Dispatch.Batch(
                        max,
                        1 + move.B % Math.Min(max, one.Capacity / 2),
                        maxWeight: move.C % 3 == 0 ? null : 1 + move.C % (3 * MostWeight));
                    trace?.Add($"{model.Dispatch}");
                    break;
                case Turn.Wait:
                    time.Advance(TimeSpan.FromMilliseconds(2));
                    trace?.Add("wait");
                    break;
                case Turn.Complete when move.A % 4 == 0:
                    ring.Complete();
                    model.Closing = true;
                    trace?.Add("complete");
                    break;
                case Turn.Step:
                    under.Move = move;
                    Step(stage, model, under, move.A % 3 == 0 ? 1 + move.B % 8 : int.MaxValue, trace);
                    break;
            }
        }

        // What is left is handled, and nothing twice.
        ring.Complete();
        time.Advance(TimeSpan.FromMilliseconds(2));
        under.Move = new Move(Turn.Step, Answer.Done, 0, 0, 0);
        while (stage.Position < model.Published - 1) Step(stage, model, under, int.MaxValue, trace, closing: true);
        StageStatistics seen = stage.GetStatistics();
        Assert.Equal(under.Fates, model.Fates);
        Assert.Equal(
            (Of(Fate.Handled), Of(Fate.Skipped) + Of(Fate.Dead) + Of(Fate.Dropped), Of(Fate.Dead), Of(Fate.Dropped), model.Retries, 0),
            (seen.Items, seen.Skipped, seen.DeadLettered, seen.Dropped, seen.Retries, seen.Faults));
        return one.Moves.Length;

        long Of(Fate fate) => model.Fates.Count(other => other == fate);
    }

    private static void Step(Stage stage, Model model, UnderTest under, int quantum, Trace? trace, bool closing = false)
    {
        model.Closing |= closing;
        (bool may, bool wakes) = model.Rest;
        under.Called = default;
        StepResult result = stage.Step(quantum);
        if (!may || under.Called.Count > 0) trace?.Add($"step {quantum}: {result.Kind} {result.Count}, called {under.Called}");
        if (may && under.Called.Count == 0)
        {
            Assert.Equal(StepKind.Pending, result.Kind);
            Assert.False(wakes, "Rests, though more has come that can join.");
            return;
        }

        (long First, int Count, CloseReason Reason, long Known) offer = model.Offer(quantum);
        Assert.Equal(offer, under.Called);
        Assert.Equal(offer.Count == 0, result.Kind == StepKind.Idle);
        if (offer.Count > 0) model.Take(under.Answered, under.N, offer.Count, under.Dropped);
        Assert.Equal(model.Fates.Count - 1, stage.Position);
    }

    /// <summary>Answers as it is told, and keeps what it was given.</summary>
    private sealed class UnderTest(Model model) : IOutcomeHandler<long>
    {
        private readonly List<long> _items = [];

        public Move Move { get; set; } = new(Turn.Step, Answer.Done, 0, 0, 0);

        public (long First, int Count, CloseReason Reason, long Known) Called { get; set; }

        public Answer Answered { get; private set; }

        public int N { get; private set; }

        public int Dropped { get; private set; }

        public List<Fate> Fates { get; } = [];

        public BatchOutcome OnBatch(Batch<long> batch)
        {
            Called = (batch.Sequence, batch.Count, batch.CloseReason, batch.Depth);
            for (int i = 0; i < batch.Count; i++) Assert.Equal(batch.Sequence + i, batch[i] / MostWeight);
            Dropped = Move.C % 4 == 0 ? Move.B % (batch.Count + 1) : 0;
            batch.Drop(Dropped);
            int left = batch.Count - Dropped;
            // Nothing is left to name where all is dropped; but all may be consumed.
            Answered = left == 0 && Move.Answer != Answer.Consumed ? Answer.Done : Move.Answer;
            N = Dropped + (Answered == Answer.Consumed ? Move.A % (left + 1) : left == 0 ? 0 : Move.A % left);
            Fates.AddRange(Enumerable.Repeat(Fate.Dropped, Dropped));
            int done = Answered == Answer.Done ? batch.Count : N;
            for (int i = Dropped; i < done; i++) _items.Add(batch[i]);
            Fates.AddRange(Enumerable.Repeat(Fate.Handled, done - Dropped));
            Assert.True(_items.SequenceEqual(_items.Order().Distinct()));
            switch (Answered)
            {
                case Answer.Consumed:
                    return BatchOutcome.Consumed(N);
                case Answer.RetryFrom:
                    return BatchOutcome.RetryFrom(N);
                case Answer.Skip:
                    Fates.Add(Fate.Skipped);
                    return BatchOutcome.Skip(N);
                case Answer.DeadLetter:
                    return BatchOutcome.DeadLetter(N);
                default:
                    return BatchOutcome.Done;
            }
        }

        public void Dead(ref long item, in FaultContext context)
        {
            Assert.Equal(Fates.Count, item / MostWeight);
            Assert.True(context.Attempt >= 1 && model.Published > context.Sequence);
            Fates.Add(Fate.Dead);
        }
    }
}
