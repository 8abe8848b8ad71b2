namespace Raceway.Proof.Tests.Litmus;

/// <summary>Lanes that are merged into one order while producers publish.</summary>
internal sealed class LaneState
{
    private const int Lanes = 2;
    private const int InALane = 3;

    private readonly RingBuffer<long> _ring = new(
        16, new RingOptions<long> { Producers = ProducerKind.Sharded, MaxProducers = Lanes, Padding = CellPadding.Line });
    private readonly SingleProducer<long>[] _producers;
    private readonly Stage[] _stages;
    private readonly List<long>[] _seen = [[], []];
    private readonly long[] _next = new long[Lanes];
    private CountingWaiter _waiter = new();
    private int _first;

    private LaneState()
    {
        _stages = [.. _seen.Select(items => _ring.Subscribe((ref long item) => items.Add(item), new StageOptions { Drive = Drive.Caller }))];
        _producers = [.. Enumerable.Range(0, Lanes).Select(_ => _ring.CreateProducer())];
    }

    public static IEnumerable<LitmusTest> All =>
    [
        new LitmusTest<LaneState>(
            "lane published against its merge", 100_000, static () => new LaneState(), Settle,
            [
                static state => state.Publish(0, InALane),
                static state =>
                {
                    state._stages[0].Step();
                    state._first = state._seen[0].Count;
                },
            ],
            static state => state.Handled(lanes: 1) + (state._first is > 0 and < InALane ? 1 : 0),
            new(0, Verdict.Acceptable, "none or all"), new(1, Verdict.Interesting, "a part")),
        new LitmusTest<LaneState>(
            "two stages merge at once", 100_000, static () => new LaneState(),
            static state =>
            {
                Settle(state);
                for (int lane = 0; lane < Lanes; lane++) state.Publish(lane, InALane);
            },
            [static state => state._stages[0].Step(), static state => state._stages[1].Step()],
            static state => state.Handled(Lanes), new Outcome(0, Verdict.Acceptable, "one order for both")),
        new LitmusTest<LaneState>(
            "two lanes reach together what is awaited", 100_000, static () => new LaneState(),
            static state =>
            {
                Settle(state);
                state._waiter = new CountingWaiter();
                long passed = state._stages[0].Position;
                state._ring.Sequencer.Cursor.Arm(state._waiter, passed + 2);
            },
            [static state => state.Publish(0, 1), static state => state.Publish(1, 1)],
            static state =>
            {
                bool asleep = state._ring.Sequencer.Cursor.Disarm(state._waiter);
                return (asleep ? 10 : 0) + state._waiter.Signals + state.Handled(Lanes);
            },
            new(01, Verdict.Acceptable, "signalled by who made it two"), new(10, Verdict.Forbidden, "asleep for ever"),
            new(02, Verdict.Forbidden, "signalled twice")),
    ];

    private static void Settle(LaneState state)
    {
        foreach (List<long> items in state._seen) items.Clear();
    }

    private void Publish(int lane, int count)
    {
        for (int i = 0; i < count; i++)
        {
            if (_producers[lane].TryPublish(2 * _next[lane]++ + lane) != ClaimStatus.Done)
                throw new InvalidOperationException("There should be room.");
        }
    }

    // 100: the stages disagree; 200: a lane's items are not the ones published, in their order.
    private int Handled(int lanes)
    {
        foreach (Stage stage in _stages)
        {
            while (stage.Step().Kind == StepKind.Progressed)
            {
            }
        }

        if (!_seen[0].SequenceEqual(_seen[1])) return 100;
        for (int lane = 0; lane < lanes; lane++)
        {
            long[] items = [.. _seen[0].Where(item => item % 2 == lane).Select(item => item / 2)];
            for (int i = 0; i < items.Length; i++)
                if (items[i] != _next[lane] - items.Length + i) return 200;
            if (items.Length == 0) return 200;
        }

        return 0;
    }
}
