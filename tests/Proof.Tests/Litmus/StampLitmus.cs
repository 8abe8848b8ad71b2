namespace Raceway.Proof.Tests.Litmus;

/// <summary>Stamps of several producers, and the gates that hold slots back from them.</summary>
internal sealed class StampState
{
    private const int Capacity = 16;

    private readonly long[] _slots = new long[Capacity];
    private readonly Availability _stamps;
    private long _next;
    private int _first;
    private int _second;

    private StampState(int stride) => _stamps = new Availability(new RingMemory(CellPadding.None), Capacity, 0, stride);

    public static IEnumerable<LitmusTest> All =>
    [
        Slot("slot by its stamp", sizeof(int)),
        Slot("slot by its stamp, a line each", Availability.Line),
        Run("run of slots by a scan of stamps", sizeof(int)),
        Run("run of slots by a walk over stamps", Availability.Line),
        new LitmusTest<StampState>(
            "two publish side by side, one scans", 1_000_000, static () => new StampState(sizeof(int)), NextLap,
            [
                static state => state._stamps.Publish(state._next),
                static state =>
                {
                    state._stamps.Publish(state._next + 1);
                    state._first = (int)(state._stamps.ReadableEnd(state._next) - state._next + 1);
                },
            ],
            static state => state._first,
            new(0, Verdict.Acceptable, "a hole before its own"), new(2, Verdict.Acceptable, "both"),
            new(1, Verdict.Forbidden, "the other's without its own")),
        new LitmusTest<StampState>(
            "tombstone by its stamp, and the flag to look for them", 200_000, static () => new StampState(sizeof(int)), null,
            [
                static state => state._stamps.Bury(3, 4),
                static state =>
                {
                    state._first = state._stamps.IsPublished(4) ? 1 : 0;
                    state._second = state._stamps.HasTombstones ? 1 : 0;
                },
            ],
            static state => 10 * state._first + state._second,
            new(00, Verdict.Acceptable, "nothing yet"), new(01, Verdict.Interesting, "the flag first"),
            new(11, Verdict.Acceptable, "both"), new(10, Verdict.Forbidden, "taken for an item")),
    ];

    private static void NextLap(StampState state)
    {
        // Room for the scan: the lap before is closed by hand.
        for (long sequence = state._next; sequence < state._next + Capacity; sequence++) state._stamps.Publish(sequence);
        state._next += Capacity;
    }

    private static LitmusTest<StampState> Slot(string name, int stride) => new(
        name, 1_000_000, () => new StampState(stride), NextLap,
        [
            static state =>
            {
                state._slots[0] = state._next;
                state._stamps.Publish(state._next);
            },
            static state =>
            {
                state._first = state._stamps.IsPublished(state._next) ? 1 : 0;
                state._second = state._slots[0] == state._next ? 1 : 0;
            },
        ],
        static state => 10 * state._first + state._second,
        new(00, Verdict.Acceptable, "not there yet"), new(01, Verdict.Interesting, "written, not published"),
        new(11, Verdict.Acceptable, "there"), new(10, Verdict.Forbidden, "published and not written"));

    private static LitmusTest<StampState> Run(string name, int stride) => new(
        name, 500_000, () => new StampState(stride), NextLap,
        [
            static state =>
            {
                for (int i = 0; i < Capacity; i++) state._slots[i] = state._next + i;
                state._stamps.Publish(state._next, state._next + Capacity - 1);
            },
            static state =>
            {
                state._first = (int)(state._stamps.ReadableEnd(state._next) - state._next + 1);
                state._second = 1;
                for (int i = 0; i < state._first; i++)
                    if (state._slots[i] != state._next + i) state._second = 0;
            },
        ],
        static state => 10 * Math.Sign(state._first) + state._second + (state._first is > 0 and < Capacity ? 100 : 0),
        new(01, Verdict.Acceptable, "nothing yet"), new(11, Verdict.Acceptable, "all"),
        new(111, Verdict.Interesting, "a part"), new(110, Verdict.Forbidden, "a part, some not written"),
        new(10, Verdict.Forbidden, "all, some not written"));
}

/// <summary>A stage joins while slots are given out.</summary>
internal sealed class GateState
{
    private const int Capacity = 4;

    private readonly Sequencer _sequencer = new(new RingMemory(CellPadding.Line), Capacity, 0, null);
    private readonly Progress _old;
    private readonly Progress _joining;
    private long _limit;
    private long _start;

    private GateState()
    {
        _old = _sequencer.NewProgress(-1);
        _joining = _sequencer.NewProgress(-1);
        _sequencer.AddGate(_old);
    }

    public static LitmusTest Test => new LitmusTest<GateState>(
        "joining against a thread that publishes, steps and takes a new limit", 500_000, static () => new GateState(),
        static state =>
        {
            state._sequencer.RemoveGate(state._joining);
            state._sequencer.Cursor.Reposition(-1);
            state._old.Reposition(-1);
        },
        [
            static state =>
            {
                for (long last = 1; last < 2 * Capacity; last += 2)
                {
                    state._sequencer.Cursor.Advance(last);
                    state._old.Advance(last);
                }

                state._limit = state._sequencer.Limit();
            },
            static state =>
            {
                // As Ring.Place does it.
                state._joining.Reposition(state._sequencer.ReleasedThrough());
                state._sequencer.AddGate(state._joining);
                state._start = state._sequencer.PublishedThrough(except: state._joining);
            },
        ],
        static state => state._limit - Capacity > state._start ? 2 : state._start == -1 ? 0 : 1,
        new(0, Verdict.Acceptable, "joined before all"), new(1, Verdict.Acceptable, "joined later"),
        new(2, Verdict.Forbidden, "a slot that it starts at is given out"));
}
