using FsCheck;
using FsCheck.Fluent;

namespace Raceway.Proof.Tests.Properties;

/// <summary>When a batch is closed, how large it is, and why: against a model of the policy, which may change while it runs.</summary>
public sealed class BatchPolicyPropertyTests
{
    /// <summary>So short that it is over after a moment's wait, or so long that it never is.</summary>
    private static readonly TimeSpan[] s_ages = [Timeout.InfiniteTimeSpan, TimeSpan.FromTicks(1), TimeSpan.FromHours(1)];

    internal enum Turn
    {
        Publish,
        Abort,
        Step,
        Policy,
        Wait,
        Complete,
    }

    internal sealed record Case(bool Multi, int Capacity, (Turn Turn, int A, int B)[] Turns)
    {
        public override string ToString() => $"{(Multi ? "multi" : "single")}, capacity {Capacity}";
    }

    private sealed class Model(int capacity)
    {
        private readonly List<bool> _live = [];
        private long _next;
        private long _seen = -1;
        private long _owed = -1;
        private long _owing = -1;
        // What a look has closed together has its reason to the end, also where it is handed over in parts.
        private CloseReason _reason;
        private long _seenWhenWaited = -1;

        public bool Closing { get; set; }

        public Dispatch Dispatch { get; set; } = Dispatch.Batch();

        public int Room => (int)(capacity - (_live.Count - _next));

        public long Next => _next;

        public void Publish(bool live) => _live.Add(live);

        /// <summary>The age was not reached after all.</summary>
        public void Idle() => _reason = CloseReason.Drained;

        public void Waited() => _seenWhenWaited = _seen;

        /// <summary>What the next step does; where the age of a batch has just begun, it may also be idle.</summary>
        public (long Known, long Count, CloseReason Reason, bool MayBeIdle) Step(int quantum)
        {
            bool mayBeIdle = false;
            if (_seen - _next + 1 < Dispatch.Min)
            {
                bool cut = Look();
                long there = _seen - _next + 1;
                if (there <= 0) return (0, 0, _reason, true);
                _reason = CloseReason.Drained;
                if (there < Dispatch.Min && !cut && _next > _owed)
                {
                    bool short_ = Dispatch.MaxAge == s_ages[1];
                    if (!Closing && !short_) return (0, 0, _reason, true);
                    // Where the ring is closing nobody asks for the age.
                    _reason = Closing ? CloseReason.Stop : CloseReason.Age;
                    mayBeIdle = !Closing && _seenWhenWaited < _next;
                }
            }

            long known = _seen - _next + 1;
            long count = Math.Min(known, Dispatch.Max ?? known);
            _owing = quantum < count ? _next + count - 1 : -1;
            count = Math.Min(count, quantum);
            CloseReason reason = known == count ? _reason : quantum < Dispatch.MaxIn(capacity) ? CloseReason.Cut : CloseReason.Full;
            return (known, count, reason, mayBeIdle);
        }

        public void Handled(long count)
        {
            _next += count;
            _owed = Math.Max(_owed, _owing);
        }

        // True where what is there ends before a claim that was given up.
        private bool Look()
        {
            while (_seen + 1 < _live.Count && _live[(int)_seen + 1]) _seen++;
            if (_next < _live.Count && !_live[(int)_next])
            {
                while (_next < _live.Count && !_live[(int)_next]) _next++;
                _seen = _next - 1;
                while (_seen + 1 < _live.Count && _live[(int)_seen + 1]) _seen++;
            }

            return _seen >= _next && _seen + 1 < _live.Count && !_live[(int)_seen + 1];
        }
    }

    [Fact]
    public Task Batches_AnyPolicy_CloseAsTheModelSays() => Cases.Check(Cases.Count(4_000), Drawn, Shrink, Run);

    private static Gen<Case> Drawn { get; } =
        from multi in Gen.Elements(false, true)
        from shift in Gen.Choose(1, 4)
        from length in Gen.Choose(2, 60)
        from turns in Gen.Frequency(
                (8, Gen.Constant(Turn.Publish)), (2, Gen.Constant(Turn.Abort)), (10, Gen.Constant(Turn.Step)),
                (3, Gen.Constant(Turn.Policy)), (2, Gen.Constant(Turn.Wait)), (1, Gen.Constant(Turn.Complete)))
            .Zip(Gen.Choose(0, 99), (turn, a) => (turn, a)).Zip(Gen.Choose(0, 99), (one, b) => (one.turn, one.a, b)).ArrayOf(length)
        select new Case(multi, 2 << shift, turns);

    private static IEnumerable<Case> Shrink(Case one) => Cases.Shorter(one.Turns).Select(fewer => one with { Turns = fewer });

    private static int Run(Case one, Trace? trace)
    {
        var time = new WatchedTime();
        RingBuffer<long> ring = Make.Ring(
            one.Capacity, one.Multi ? ProducerKind.Multi : ProducerKind.Single, maxProducers: 1, time: time);
        var model = new Model(one.Capacity);
        (long First, int Count, CloseReason Reason, long Depth) called = default;
        Stage stage = ring.Subscribe(
            new BatchLambda<long>(batch => called = (batch.Sequence, batch.Count, batch.CloseReason, batch.Depth)), Make.Stepped());
        Producer<long> producer = Make.Producer(ring);
        foreach ((Turn turn, int a, int b) in one.Turns)
        {
            switch (turn)
            {
                case Turn.Publish or Turn.Abort when model.Room > 0 && !model.Closing:
                    bool live = turn == Turn.Publish || !one.Multi;
                    if (live) Assert.Equal(ClaimStatus.Done, producer.TryPublish(a));
                    else producer.Claim().Abort();
                    model.Publish(live);
                    trace?.Add(live ? "publish" : "abort");
                    break;
                case Turn.Policy:
                    int max = 1 + a % one.Capacity;
                    int min = 1 + b % Math.Min(max, one.Capacity / 2);
                    stage.Dispatch = model.Dispatch = Dispatch.Batch(max, min, min > 1 ? s_ages[a % s_ages.Length] : null);
                    trace?.Add($"{model.Dispatch}");
                    break;
                case Turn.Wait:
                    time.Advance(TimeSpan.FromTicks(2));
                    model.Waited();
                    trace?.Add("wait");
                    break;
                case Turn.Complete when a % 4 == 0:
                    ring.Complete();
                    model.Closing = true;
                    trace?.Add("complete");
                    break;
                case Turn.Step:
                    Step(stage, model, a % 3 == 0 ? 1 + b % 8 : int.MaxValue, ref called, trace);
                    break;
            }
        }

        Assert.Equal(model.Next - 1, stage.Position);
        return one.Turns.Length;
    }

    private static void Step(
        Stage stage, Model model, int quantum, ref (long First, int Count, CloseReason Reason, long Depth) called, Trace? trace)
    {
        called = default;
        (long known, long count, CloseReason reason, bool mayBeIdle) = model.Step(quantum);
        StepResult result = stage.Step(quantum);
        trace?.Add($"step {quantum}: {result.Kind} {result.Count}, {called.Reason} of {called.Depth}; expected {count}, {reason} of {known}");
        if (result.Kind == StepKind.Idle)
        {
            Assert.True(mayBeIdle, "Idle, where there was enough.");
            model.Idle();
            return;
        }

        Assert.Equal((model.Next, count, reason, known), (called.First, called.Count, called.Reason, called.Depth));
        Assert.Equal((count, known > count), (result.Count, result.More));
        model.Handled(count);
    }
}
