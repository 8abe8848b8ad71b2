namespace Raceway.Proof.Tests.Litmus;

/// <summary>One cell: what it makes visible, and whom it wakes.</summary>
internal sealed class CellState
{
    private const long Sequence = 0;

    // One block for all: only their distance matters.
    private static readonly RingMemory s_memory = new(CellPadding.LinePair);

    private readonly Control _control = new(s_memory);
    private CountingWaiter _waiter = new();
    private CountingWaiter _other = new();
    private ParkWaiter _thread = new();
    private long _slot;
    private long _seen;
    private int _first;
    private int _second;

    private Progress Cell { get; } = new(s_memory, Sequence - 1);

    public static IEnumerable<LitmusTest> All =>
    [
        new LitmusTest<CellState>(
            "slot by its cursor", 1_000_000, Create, Calm,
            [
                static state =>
                {
                    state._slot = 1;
                    state.Cell.Advance(Sequence);
                },
                static state =>
                {
                    state._first = state.Cell.IsReached(Sequence) ? 1 : 0;
                    state._second = (int)state._slot;
                },
            ],
            static state => 10 * state._first + state._second,
            new(00, Verdict.Acceptable, "not there yet"), new(01, Verdict.Interesting, "written, not published"),
            new(11, Verdict.Acceptable, "there"), new(10, Verdict.Forbidden, "published and not written")),
        Arming("arming against a calm advance", 60_000, Calm, Advance),
        Arming("arming against an advance that fences", 1_000_000, Parking, Advance),
        Arming(
            "arming against leaving the regime, then advancing", 60_000, Parking,
            static state =>
            {
                state.Cell.LeaveParkingRegime();
                state.Cell.Advance(Sequence);
            }),
        new LitmusTest<CellState>(
            "disarming against an advance", 1_000_000, Create,
            static state =>
            {
                Parking(state);
                state.Cell.Arm(state._waiter, Sequence);
            },
            [Advance, static state => state._first = state.Cell.Disarm(state._waiter) ? 1 : 0],
            static state => 10 * state._first + state._waiter.Signals,
            new(10, Verdict.Acceptable, "taken back"), new(01, Verdict.Acceptable, "signalled"),
            new(00, Verdict.Forbidden, "neither: it would wait for ever"), new(11, Verdict.Forbidden, "both: a signal too many")),
        new LitmusTest<CellState>(
            "state change against parking", 60_000, Create,
            static state =>
            {
                Calm(state);
                state._seen = state._control.Word;
            },
            [
                static state =>
                {
                    state._control.Change(0);
                    state.Cell.WakeAll();
                },
                static state =>
                {
                    state.Cell.Arm(state._waiter, Progress.Never);
                    state._first = state._control.Word != state._seen ? 1 : 0;
                },
            ],
            Armed, ArmedOutcomes),
        new LitmusTest<CellState>(
            "two arm, one advances", 20_000, Create, Calm,
            [
                Advance,
                static state =>
                {
                    state.Cell.Arm(state._waiter, Sequence);
                    state._first = state.Cell.IsReached(Sequence) ? 1 : 0;
                },
                static state =>
                {
                    state.Cell.Arm(state._other, Sequence);
                    state._second = state.Cell.IsReached(Sequence) ? 1 : 0;
                },
            ],
            static state => Math.Min(state._first + state._waiter.Signals, 1) + Math.Min(state._second + state._other.Signals, 1),
            new(2, Verdict.Acceptable, "both know"), new(1, Verdict.Forbidden, "one sleeps for ever"),
            new(0, Verdict.Forbidden, "both sleep for ever")),
        new LitmusTest<CellState>(
            "signal against a park that times out", 300_000, Create, static state => state._thread = new ParkWaiter(),
            [static state => state._thread.Signal(), static state => state._first = state._thread.Park(0, interruptible: false) ? 1 : 0],
            static state => 10 * state._first + (state._thread.Park(0, interruptible: false) ? 1 : 0),
            new(10, Verdict.Acceptable, "taken by this park"), new(01, Verdict.Acceptable, "left for the next one"),
            new(00, Verdict.Forbidden, "lost"), new(11, Verdict.Forbidden, "taken twice")),
    ];

    private static Outcome[] ArmedOutcomes =>
    [
        new(10, Verdict.Acceptable, "signalled"), new(01, Verdict.Acceptable, "seen at the second look"),
        new(11, Verdict.Acceptable, "both"), new(00, Verdict.Forbidden, "neither: it would sleep for ever"),
    ];

    private static CellState Create() => new();

    private static void Advance(CellState state) => state.Cell.Advance(Sequence);

    private static int Armed(CellState state) => 10 * state._waiter.Signals + state._first;

    private static LitmusTest<CellState> Arming(string name, int iterations, Action<CellState> arrange, Action<CellState> owner) =>
        new(
            name, iterations, Create, arrange,
            [
                owner,
                static state =>
                {
                    state.Cell.Arm(state._waiter, Sequence);
                    state._first = state.Cell.IsReached(Sequence) ? 1 : 0;
                },
            ],
            Armed, ArmedOutcomes);

    private static void Calm(CellState state)
    {
        state.Cell.Disarm(state._waiter);
        state.Cell.Disarm(state._other);
        state._waiter = new CountingWaiter();
        state._other = new CountingWaiter();
        state.Cell.Reposition(Sequence - 1);
        state.Cell.LeaveParkingRegime();
        state._slot = 0;
    }

    // Nobody waits, but somebody has: the owner fences.
    private static void Parking(CellState state)
    {
        Calm(state);
        state.Cell.ArmUnfenced(state._other, Progress.Never);
        state.Cell.Disarm(state._other);
    }
}
