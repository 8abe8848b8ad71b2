using System.Globalization;
using System.Runtime.InteropServices;
using System.Text;

namespace Raceway.Proof.Tests.Litmus;

/// <summary>What may come out of two actors at once.</summary>
internal enum Verdict
{
    Acceptable,

    /// <summary>Allowed, and worth knowing that it occurs.</summary>
    Interesting,

    Forbidden,
}

/// <summary>One outcome, by the number that a test gives it.</summary>
internal sealed record Outcome(int Code, Verdict Verdict, string Meaning);

/// <summary>Actors that meet on shipped code, many times over.</summary>
internal abstract class LitmusTest(string name, int actors, int iterations)
{
    public string Name { get; } = name;

    /// <summary>Threads that it takes.</summary>
    public int Actors { get; } = actors;

    /// <summary>How often they meet in a push.</summary>
    public int Iterations { get; } = iterations;

    /// <summary>Meets so often, or for so long; returns what was seen.</summary>
    public abstract Task<LitmusResult> Run(long iterations, TimeSpan atMost, int seed);
}

/// <summary>How often each outcome was seen.</summary>
internal sealed class LitmusResult(LitmusTest test, IReadOnlyList<Outcome> outcomes, Dictionary<int, long> seen, long met)
{
    public long Iterations => seen.Values.Sum();

    public long Forbidden => seen.Sum(each => VerdictOf(each.Key) == Verdict.Forbidden ? each.Value : 0);

    /// <summary>Actors that cannot all run at once prove little by never meeting badly.</summary>
    public bool IsInconclusive => test.Actors > Environment.ProcessorCount;

    // What no line of the table has is forbidden.
    private Verdict VerdictOf(int code) => outcomes.FirstOrDefault(known => known.Code == code)?.Verdict ?? Verdict.Forbidden;

    public override string ToString()
    {
        var text = new StringBuilder();
        text.Append(CultureInfo.InvariantCulture, $"{test.Name}: {Iterations} times, {met} of them met, seed {Seed.Value}");
        if (IsInconclusive)
            text.Append(CultureInfo.InvariantCulture, $"; INCONCLUSIVE: {test.Actors} actors on {Environment.ProcessorCount} processors");
        foreach ((int code, long count) in seen.OrderBy(each => each.Key))
        {
            string meaning = outcomes.FirstOrDefault(known => known.Code == code)?.Meaning ?? "not in the table";
            text.Append(CultureInfo.InvariantCulture, $"\n  {VerdictOf(code),-11} {code,3} {meaning}: {count}");
        }

        return text.ToString();
    }
}

/// <summary>The same over states of one type.</summary>
/// <param name="name">What it is about.</param>
/// <param name="iterations">How often actors meet in a push.</param>
/// <param name="create">A state.</param>
/// <param name="arrange">Puts it back to where the actors begin; null: a new one each time.</param>
/// <param name="actors">What each does with it.</param>
/// <param name="outcome">What came out, once all are done with it.</param>
/// <param name="outcomes">What may.</param>
internal sealed class LitmusTest<TState>(
    string name, int iterations, Func<TState> create, Action<TState>? arrange, Action<TState>[] actors,
    Func<TState, int> outcome, params Outcome[] outcomes)
    : LitmusTest(name, actors.Length, iterations)
    where TState : class
{
    private const int InABatch = 500;
    // An actor waits so long for the others to come to the same state, and goes on without them where they are not running.
    private const int LooksToMeet = 2_000;

    private static readonly int[] s_processors = Affinity.Read();

    private readonly TState[] _states = new TState[InABatch];
    private readonly Dictionary<int, long> _seen = [];
    private readonly Position[] _at = new Position[actors.Length];
    private readonly Rendezvous _batch = new(actors.Length);
    private long _left;
    private long _done;
    private long _met;
    private Exception? _fault;

    public override async Task<LitmusResult> Run(long iterations, TimeSpan atMost, int seed)
    {
        _left = iterations;
        long end = Environment.TickCount64 + (long)atMost.TotalMilliseconds;
        Prepare();
        Task[] running = [.. actors.Select((_, actor) => Watchdog.Run(() => Act(actor, seed, end)))];
        await Watchdog.Await(Task.WhenAll(running), progress: () => Volatile.Read(ref _done), what: Name);
        if (_fault is { } fault) throw new InvalidOperationException($"{Name}: an actor threw", fault);
        return new LitmusResult(this, outcomes, _seen, _met);
    }

    private void Act(int actor, int seed, long end)
    {
        Action<TState> act = actors[actor];
        // On one processor they would take turns, and never meet.
        if (s_processors.Length >= actors.Length) Affinity.Write([s_processors[actor]]);
        uint random = (uint)(seed + 1) * 0x9E37_79B9 ^ (uint)(actor + 1) * 0x85EB_CA6B;
        while (true)
        {
            _batch.Meet(Prepared);
            if (_left <= 0 || _fault is not null) return;
            try
            {
                for (int i = 0; i < InABatch; i++)
                {
                    random = (random ^ (random << 13)) * 0x9E37_79B9 + 1;
                    if (MeetAt(actor, i) && actor == 0) _met++;
                    StepApart(random);
                    act(_states[i]);
                }
            }
            catch (Exception fault)
            {
                Volatile.Write(ref _fault, fault);
            }

            // For those still at work: it is past every state.
            Volatile.Write(ref _at[actor].Index, InABatch);
            _batch.Meet(() => Collect(end));
        }
    }

    // False where somebody has not come, or has gone on already.
    private bool MeetAt(int actor, int index)
    {
        Volatile.Write(ref _at[actor].Index, index);
        bool met = true;
        for (int other = 0; other < _at.Length; other++)
        {
            int at = Volatile.Read(ref _at[other].Index);
            for (int looks = 1; at < index; looks++)
            {
                if (looks == LooksToMeet || Volatile.Read(ref _fault) is not null) return false;
                at = Volatile.Read(ref _at[other].Index);
            }

            met &= at == index;
        }

        return met;
    }

    // From nothing to some microseconds, small distances as often as large ones.
    private void StepApart(uint random)
    {
        for (uint apart = (random >> 12) & ((1u << (int)(random >> 28)) - 1); apart > 0; apart--) _ = Volatile.Read(ref _fault);
    }

    private void Collect(long end)
    {
        if (_fault is not null) return;
        try
        {
            foreach (TState state in _states)
            {
                int code = outcome(state);
                _seen[code] = _seen.GetValueOrDefault(code) + 1;
            }
        }
        catch (Exception fault)
        {
            _fault = fault;
        }

        _done += InABatch;
        _left -= InABatch;
        // Only cuts short what a busy machine is slow at.
        if (Environment.TickCount64 > end) _left = 0;
        if (_left > 0) Prepare();
    }

    private void Prepare()
    {
        for (int actor = 0; actor < _at.Length; actor++) Volatile.Write(ref _at[actor].Index, -1);
        for (int i = 0; i < InABatch; i++)
        {
            if (arrange is null || _states[i] is null) _states[i] = create();
            arrange?.Invoke(_states[i]);
        }
    }

    private static void Prepared()
    {
    }
}

/// <summary>Where an actor is, on a line of its own.</summary>
[StructLayout(LayoutKind.Explicit, Size = 256)]
internal struct Position
{
    [FieldOffset(128)]
    public int Index;
}

/// <summary>Sense-reversing barrier: the last to come does something before all go on.</summary>
internal sealed class Rendezvous
{
    private const int LooksBeforeYield = 1_000;

    private readonly int _parties;
    private int _missing;
    private int _sense;

    public Rendezvous(int parties) => _parties = _missing = parties;

    public void Meet(Action last)
    {
        int sense = Volatile.Read(ref _sense);
        if (Interlocked.Decrement(ref _missing) == 0)
        {
            last();
            _missing = _parties;
            Volatile.Write(ref _sense, sense + 1);
            return;
        }

        for (int looks = 0; Volatile.Read(ref _sense) == sense; looks++)
            if (looks > LooksBeforeYield) Thread.Yield();
    }
}
