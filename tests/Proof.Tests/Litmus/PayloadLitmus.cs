namespace Raceway.Proof.Tests.Litmus;

/// <summary>A buffer that two give back, or that one keeps while another takes it back: it returns exactly once.</summary>
internal sealed class PayloadState
{
    private const int Length = 24;
    private const byte Content = 7;

    private readonly PoisonPool _pool = new();
    private readonly Sequencer _sequencer = new(new RingMemory(CellPadding.Line), 4, 0, null);
    private readonly Progress _gate;
    private readonly PayloadOptions _options;
    private PayloadEntries _entries;
    private RetainedPayload? _kept;
    private int _first;
    private int _second;

    private ref PayloadEntry Entry => ref _entries[0];

    private PayloadState(int keepLength = 0)
    {
        _options = new PayloadOptions { Pool = _pool, KeepLength = keepLength };
        _gate = _sequencer.NewProgress(-1);
        _sequencer.AddGate(_gate);
        _entries = new PayloadEntries(4, _sequencer, _options);
    }

    public static IEnumerable<LitmusTest> All =>
    [
        new LitmusTest<PayloadState>(
            "kept payload given back by two", 200_000, static () => new PayloadState(),
            static state =>
            {
                state.Lend();
                state._kept = state.Entry.Retain(0, state._sequencer);
                state.Sweep();
            },
            [static state => state._first = GiveBack(state._kept!), static state => state._second = GiveBack(state._kept!)],
            static state => state._first + state._second + state.Returned(),
            new(1, Verdict.Acceptable, "one is refused"), new(0, Verdict.Forbidden, "neither is"), new(2, Verdict.Forbidden, "both are")),
        new LitmusTest<PayloadState>(
            "slot's buffer given up by two", 200_000, static () => new PayloadState(), static state => state.Lend(),
            [static state => state.Entry.Release(), static state => state.Entry.Release()],
            static state => state.Returned(), new Outcome(0, Verdict.Acceptable, "returned once")),
        Keeping("keeping against the sweep", 0),
        Keeping("keeping against the sweep, the buffer used again", Length),
        new LitmusTest<PayloadState>(
            "kept payload given back against the sweep", 200_000, static () => new PayloadState(),
            static state =>
            {
                state.Lend();
                state._kept = state.Entry.Retain(0, state._sequencer);
            },
            [static state => state._first = GiveBack(state._kept!), static state => state.Sweep()],
            static state => state._first + state.Returned(), new Outcome(0, Verdict.Acceptable, "returned once")),
    ];

    // What was kept must be whole, also after the slot's next item.
    private static LitmusTest<PayloadState> Keeping(string name, int keepLength) => new(
        name, 200_000, () => new PayloadState(keepLength), static state => state.Lend(),
        [
            static state =>
            {
                try
                {
                    state._kept = state.Entry.Retain(0, state._sequencer);
                    state._first = 1;
                }
                catch (ObjectDisposedException)
                {
                    state._first = 0;
                }
            },
            static state =>
            {
                state._gate.Advance(0);
                state.Sweep();
            },
        ],
        static state =>
        {
            state.Entry.Lend(4);
            state.Entry.Reserve(Length, state._options).Fill(Content + 1);
            bool right = true;
            if (state._first == 1)
            {
                right = state._kept!.Memory.Span.IndexOfAnyExcept(Content) < 0 && state._kept.Memory.Length == Length;
                state._kept.Dispose();
            }

            return state._first + (right ? 0 : 10) + state.Returned();
        },
        new(0, Verdict.Acceptable, "too late to keep"), new(1, Verdict.Acceptable, "kept whole"),
        new(11, Verdict.Forbidden, "kept, and given to others"));

    private static int GiveBack(RetainedPayload kept)
    {
        try
        {
            kept.Dispose();
            return 0;
        }
        catch (ObjectDisposedException)
        {
            return 1;
        }
    }

    // As PayloadColumn does it.
    private void Sweep()
    {
        Entry.Recall();
        Interlocked.MemoryBarrier();
        Entry.Reclaim(_options);
    }

    private void Lend()
    {
        _gate.Reposition(-1);
        _entries = new PayloadEntries(4, _sequencer, _options);
        Entry.Lend(0);
        Entry.Reserve(Length, _options).Fill(Content);
    }

    // 100: not back, 200: misused.
    private int Returned()
    {
        Entry.Release();
        return (_pool.Outstanding == 0 ? 0 : 100) + (_pool.Misuses == 0 && _pool.QuarantineIsIntact() ? 0 : 200);
    }
}
