namespace Raceway.Proof.Tests.Litmus;

/// <summary>Two producers, or a producer and the stage, of a small ring that goes on from lap to lap.</summary>
internal sealed class ProducerState
{
    private readonly RingBuffer<long> _ring;
    private readonly Stage _stage;
    private Producer<long> _one;
    private readonly Producer<long> _two;
    private long _claimed;
    private long _number;
    private long _last = -1;
    private int _handled;
    private int _first;
    private int _second;
    private bool _wrong;

    private ProducerState(ProducerKind kind, int capacity)
    {
        _ring = new RingBuffer<long>(capacity, new RingOptions<long> { Producers = kind, MaxProducers = 2, Padding = CellPadding.Line });
        _stage = _ring.Subscribe(
            (ref long item) =>
            {
                _wrong |= item <= _last;
                _last = item;
                _handled++;
            },
            new StageOptions { Drive = Drive.Caller });
        _one = kind == ProducerKind.Multi ? _ring.CreateMultiProducer() : _ring.CreateProducer();
        _two = kind == ProducerKind.Multi ? _ring.CreateMultiProducer() : _one;
    }

    public static IEnumerable<LitmusTest> All =>
    [
        new LitmusTest<ProducerState>(
            "two try for the last slot", 300_000, static () => new ProducerState(ProducerKind.Multi, 4),
            static state =>
            {
                state.StepAll();
                for (int i = 0; i < 3; i++) state.Publish(state._two);
            },
            [
                static state => state._first = (int)state._one.TryPublish(long.MaxValue),
                static state => state._second = (int)state._two.TryPublish(long.MaxValue),
            ],
            static state => (state._first == 0 ? 1 : 0) + (state._second == 0 ? 1 : 0) + state.Settled(ended: long.MaxValue),
            new(1, Verdict.Acceptable, "one of them"), new(0, Verdict.Forbidden, "neither"), new(2, Verdict.Forbidden, "both")),
        Full("try at a full ring against its stage, one producer", ProducerKind.Single),
        Full("try at a full ring against its stage, several producers", ProducerKind.Multi),
        Remaining("remaining against publishing and stepping, one producer", ProducerKind.Single),
        Remaining("remaining against publishing and stepping, several producers", ProducerKind.Multi),
        new LitmusTest<ProducerState>(
            "credits given back against a try at a full ring", 200_000, static () => new ProducerState(ProducerKind.Multi, 8),
            static state =>
            {
                state.StepAll();
                state._one.Dispose();
                state._one = state._ring.CreateMultiProducer();
                // It takes room for two and uses half of it; the other has the rest.
                state.Publish(state._one);
                for (int i = 0; i < 6; i++) state.Publish(state._two);
            },
            [
                static state => state._one.Dispose(),
                static state => state._first = (int)state._two.TryPublish(long.MaxValue - 1),
            ],
            static state =>
            {
                int again = (int)state._two.TryPublish(long.MaxValue);
                int beyond = (int)state._two.TryPublish(long.MaxValue);
                return (100 * state._first) + (10 * again) + beyond + state.Settled(ended: long.MaxValue - 1);
            },
            new(011, Verdict.Acceptable, "had the room"), new(101, Verdict.Acceptable, "full, and room the next time")),
        new LitmusTest<ProducerState>(
            "a claim given up against the stage that reads behind it", 200_000,
            static () => new ProducerState(ProducerKind.Multi, 4),
            static state =>
            {
                state.StepAll();
                state._one.TryClaim(1, out Claim<long> open);
                state._claimed = open.Sequence;
                state.Publish(state._two);
                state._handled = 0;
            },
            [
                static state => state._one.Claimer.Settle(state._claimed, 1, 0),
                static state =>
                {
                    state._stage.Step();
                    state._first = state._handled;
                },
            ],
            static state =>
            {
                state.StepAll();
                return (10 * state._first) + state._handled + state.Settled(ended: 0);
            },
            new(01, Verdict.Acceptable, "a hole; handled afterwards"), new(11, Verdict.Acceptable, "handled behind the tombstone")),
    ];

    private static LitmusTest<ProducerState> Full(string name, ProducerKind kind) => new(
        name, 300_000, () => new ProducerState(kind, 4),
        static state =>
        {
            state.StepAll();
            for (int i = 0; i < 4; i++) state.Publish(state._one);
        },
        [
            static state => state._first = (int)state._one.TryPublish(state._number),
            static state => state._stage.Step(1),
        ],
        static state =>
        {
            if (state._first == 0) state._number++;
            state.StepAll();
            return state._first + state.Settled(ended: 0);
        },
        new((int)ClaimStatus.Done, Verdict.Acceptable, "room"), new((int)ClaimStatus.Full, Verdict.Acceptable, "none yet"));

    private static LitmusTest<ProducerState> Remaining(string name, ProducerKind kind) => new(
        name, 200_000, () => new ProducerState(kind, 4), static state => state._wrong = false,
        [
            static state =>
            {
                for (int i = 0; i < 3; i++)
                {
                    state.Publish(state._one);
                    state._stage.Step();
                }
            },
            static state =>
            {
                for (int i = 0; i < 3; i++)
                {
                    // Its own kind of snapshot reads what both sides write. A single producer's is its own thread's to ask.
                    state._first = state._ring.Options.Producers == ProducerKind.Multi ? state._two.Remaining : 0;
                    state._wrong |= state._first is < 0 or > 4 || state._ring.Backlog is < 0 or > 4 || state._stage.Lag is < 0 or > 4;
                }
            },
        ],
        static state => state._wrong ? 1 : 0,
        new(0, Verdict.Acceptable, "in range"), new(1, Verdict.Forbidden, "out of range"));

    private void Publish(Producer<long> producer)
    {
        if (producer.TryPublish(_number++) != ClaimStatus.Done) throw new InvalidOperationException("There should be room.");
    }

    private void StepAll()
    {
        while (_stage.Step().Kind == StepKind.Progressed)
        {
        }
    }

    // What was handled out of order is no outcome of the table. Items of no order are let out of it.
    private int Settled(long ended)
    {
        StepAll();
        if (_last >= ended && ended != 0) _last = _number - 1;
        return _wrong ? 1_000 : 0;
    }
}
