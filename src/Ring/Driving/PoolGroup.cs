using System.Diagnostics;

namespace Raceway.Rings;

/// <summary>Stages of one ring on the thread pool, stepped one after another by one thread while that is the fastest.</summary>
/// <remarks>
/// <para>Each stage has its driver, and is a unit of the pool by itself: apart. While they are together, their drivers wait here, and
/// one more driver steps all of them, as one unit: a batch goes through all stages in one cache, and nothing is handed over. Which of
/// the two is faster is measured (<see cref="GroupChoice"/>).</para>
/// <para><b>To come together</b>: the mode is <see cref="Mode.Gathering"/>, and all that sleep are told to look. Each driver comes here
/// behind its next step, and is stepped no more. The last one to come makes the driver of all.</para>
/// <para><b>To part</b>: the step of all answers that it has stopped. Its driver ends, and each of the others is ready again.</para>
/// <para>Anything out of the ordinary parts them: a stage that leaves or has ended, a call that is pending, a fault. So that is
/// dealt with by the drivers of the stages alone.</para>
/// <para><b>A handler that blocks</b> must not hold up the other stages: it may wait for them. A watch looks every 10 ms. Where it finds
/// the same step of all again, it takes the turn from the thread, and the others are ready; the thread keeps the stage that it is in.
/// It also gives up a gathering that lasts so long.</para>
/// <para>Why each stage is stepped by one thread at a time: its own driver, until that has come here. Then the thread of all, from one
/// successful exchange of <see cref="_turn"/> to the next. And its own driver again once it is out of <see cref="_held"/>: of the
/// stage whose turn it is only by the end of the driver of all.</para>
/// </remarks>
internal sealed class PoolGroup : Steppable
{
    private const int NoTurn = -1;
    private const int Taken = -2;
    // A thread that others keep from its processor is in the same step for some time slices, too.
    private const int MostLooks = 5;

    private static readonly TimeSpan s_patience = TimeSpan.FromMilliseconds(10);

    private readonly object _gate = new();
    private readonly Ring _ring;
    private readonly long _slice;
    private readonly ReadyQueue _ready;
    private readonly Alarm _watch;
    private readonly Func<long> _done;
    // Under the gate; the mode is read by others too.
    private readonly List<PoolDriver> _members; // that have not ended, each behind its upstream
    private readonly List<PoolDriver> _held = []; // of those, the ones that wait here
    private PoolDriver? _first; // of the members; read by them
    private int _begun;
    private int _mode = (int)Mode.Apart;
    private bool _watched; // the watch's alarm is set; read by the thread of all too
    private long _gatherings;
    private long _seen; // steps of all, or gatherings, when the watch looked last
    private int _looks; // at the same step, one after another
    private long _notBefore; // no gathering before that time: the last one was given up
    private long _pause = GroupChoice.FirstPause;
    // Of the driver of all.
    private PoolDriver[] _drivers = [];
    private Stage[] _stages = [];
    private int _quantum;
    private int _turn = NoTurn; // whose step is under way
    private long _steps;
    private bool _parts; // it has been decided to
    // Together: of the driver of all. Apart: of the driver of the first stage.
    private GroupChoice _choice = new(canGain: !Cpu.IsAlone);

    /// <param name="ring">Whose stages they are.</param>
    /// <param name="members">Their drivers, each behind those of its upstream. None is launched yet.</param>
    public PoolGroup(Ring ring, IReadOnlyList<PoolDriver> members)
    {
        Debug.Assert(members.Count > 1, "One stage alone is stepped alone.");
        _ring = ring;
        _members = [.. members];
        _first = _members[0];
        (_slice, _ready) = (members[0].Slice, members[0].Ready);
        _watch = new Alarm(_ready.Clock, Look);
        _done = () => ring.Sequencer.ReleasedThrough();
        foreach (PoolDriver member in members) member.Group = this;
    }

    private enum Mode
    {
        /// <summary>Each stage is a unit by itself.</summary>
        Apart,

        /// <summary>The drivers come here, one after another.</summary>
        Gathering,

        /// <summary>All of them are here, and one more steps their stages.</summary>
        Together,

        /// <summary>A handler has blocked: its stage is that thread's still, and the others are apart.</summary>
        Blocked,
    }

    internal override Ring Owner => _ring;

    internal override bool LeadsChain => _stages[0].LeadsChain;

    internal override bool MarksContext => Array.Exists(_stages, static stage => stage.MarksContext);

    internal override bool HasIdleHook => Array.Exists(_stages, static stage => stage.HasIdleHook);

    internal override int LeastStep => FusedStages.LeastStepOf(_stages);

    // What the others make ready waits for the steps behind theirs, and may be what those handlers wait for.
    internal override bool Settles => Volatile.Read(ref _turn) == _stages.Length - 1 && _stages[^1].Settles;

    internal override WaitTarget NextTarget() => FusedStages.NearestOf(_stages);

    /// <summary>The start hooks of one more have returned. The last one brings them together.</summary>
    public void Began()
    {
        Gate.Enter(_gate);
        bool all = ++_begun == _members.Count;
        Gate.Exit(_gate);
        if (all) Gather();
    }

    /// <summary>A step of a driver has handled items. True: it makes no other for now, it waits here.</summary>
    /// <param name="driver">The driver of a stage, or the one of all.</param>
    /// <param name="result">What the step did.</param>
    /// <param name="from">When the step began, in <see cref="MachineClock"/> ticks.</param>
    /// <param name="now">When it ended.</param>
    public bool Progressed(PoolDriver driver, in StepResult result, long from, long now)
    {
        if (driver.Unit == this)
        {
            _parts |= _choice.PartsAfter(result.Count, from, now, result.More, _ready.HasWork);
            return false;
        }

        if (Volatile.Read(ref _mode) == (int)Mode.Apart && driver == Volatile.Read(ref _first) && _choice.JoinsAfter(from, now, _done)) Gather();
        return Takes(driver);
    }

    /// <summary>A step of <paramref name="driver"/> is over. True: it makes no other for now, and neither arms nor queues.</summary>
    /// <remarks>Behind a step, and not before: the gathering changes the ring's control word, which the step has looked at. A driver
    /// that sees no gathering here finds the word changed once it has armed.</remarks>
    public bool Takes(PoolDriver driver)
    {
        if (Volatile.Read(ref _mode) != (int)Mode.Gathering || driver.Unit == this) return false;
        Gate.Enter(_gate);
        bool takes = _mode == (int)Mode.Gathering;
        if (takes) _held.Add(driver);
        PoolDriver? all = DriverOfAll();
        Gate.Exit(_gate);
        all?.Launch();
        return takes;
    }

    /// <summary>A member has ended, or never begins.</summary>
    public void Left(PoolDriver member)
    {
        Gate.Enter(_gate);
        Debug.Assert(!_held.Contains(member), "What waits here cannot end.");
        _members.Remove(member);
        Volatile.Write(ref _first, _members.Count > 0 ? _members[0] : null);
        PoolDriver? all = DriverOfAll();
        Gate.Exit(_gate);
        all?.Launch();
    }

    internal override StepResult StepOnce(int quantum = int.MaxValue)
    {
        if (_parts) return StepResult.Stopped;
        Volatile.Write(ref _steps, _steps + 1);
        Volatile.Write(ref _turn, 0);
        // ORDER: the turn, and then whether the watch is set; pairs with the barrier of Look, which has it off and looks at the turn.
        if (!Volatile.Read(ref _watched)) SetWatch();
        int handled = 0;
        (bool progressed, bool more) = (false, false);
        for (int i = 0; i < _stages.Length; i++)
        {
            Stage stage = _stages[i];
            StepResult result = stage.StepOnce(Math.Min(quantum, Math.Max(_quantum, stage.LeastStep)));
            if (i == 0) handled = result.Count;
            progressed |= result.Kind == StepKind.Progressed;
            more |= result.More;
            _parts = result.Kind is StepKind.Pending or StepKind.Stopped;
            int next = _parts || i == _stages.Length - 1 ? NoTurn : i + 1;
            // ORDER: full, both: what the stage has done is seen by the thread that is given its neighbours (Look).
            if (Interlocked.CompareExchange(ref _turn, next, i) != i || _parts)
            {
                _choice.PartUnmeasured();
                return StepResult.Stopped;
            }
        }

        if (progressed) return new StepResult(StepKind.Progressed, handled, more);
        _choice.FoundNothing();
        return StepResult.Idle;
    }

    /// <summary>The driver of all ends: those that wait here still are ready again.</summary>
    internal override void End()
    {
        _choice.Part(MachineClock.Now);
        _parts = false;
        Gate.Enter(_gate);
        PoolDriver[] resumed = [.. _held];
        _held.Clear();
        SetMode(Mode.Apart);
        Gate.Exit(_gate);
        foreach (PoolDriver member in resumed) member.Resume();
    }

    internal override void Attend(Waiting waiting)
    {
        foreach (Stage stage in _stages) stage.Attend(waiting);
    }

    private void Gather()
    {
        Gate.Enter(_gate);
        bool gathers = _mode == (int)Mode.Apart && _begun >= _members.Count && _members.Count > 1 && MachineClock.Now >= _notBefore;
        if (gathers)
        {
            SetMode(Mode.Gathering);
            _gatherings++;
        }

        Gate.Exit(_gate);
        if (!gathers) return;
        SetWatch();
        _ring.Nudge();
    }

    /// <summary>The driver of all, where the last one has come; where none is left to come with, those here go on by themselves.</summary>
    private PoolDriver? DriverOfAll()
    {
        Debug.Assert(Gate.IsHeld(_gate), "The members change under the gate.");
        if (_mode != (int)Mode.Gathering || _held.Count < _members.Count || _members.Count == 0) return null;
        _pause = GroupChoice.FirstPause;
        _drivers = [.. _members];
        _stages = [.. _members.Select(static member => (Stage)member.Unit)];
        _quantum = FusedStages.QuantumOf(_stages);
        Volatile.Write(ref _turn, NoTurn);
        _choice.Join();
        SetMode(Mode.Together);
        return new PoolDriver(this, _slice, cuts: false, _ready) { Group = this };
    }

    private void SetMode(Mode mode)
    {
        Debug.Assert(Gate.IsHeld(_gate), "The mode changes under the gate.");
        Volatile.Write(ref _mode, (int)mode);
    }

    private void SetWatch()
    {
        Gate.Enter(_gate);
        bool sets = !_watched;
        Volatile.Write(ref _watched, true);
        Gate.Exit(_gate);
        if (sets) _watch.TrySet(_watch.Clock.In(s_patience));
    }

    // By the watch's timer.
    private void Look()
    {
        Gate.Enter(_gate);
        Volatile.Write(ref _watched, false);
        // ORDER: full, of all threads; pairs with StepOnce: a step that has found the watch set is seen here.
        Interlocked.MemoryBarrierProcessWide();
        PoolDriver[] resumed = [];
        bool again = false;
        if (_mode == (int)Mode.Together) again = LookAtTurn(out resumed);
        else if (_mode == (int)Mode.Gathering) again = LookAtGathering(out resumed);
        Gate.Exit(_gate);
        foreach (PoolDriver member in resumed) member.Resume();
        if (again) SetWatch();
    }

    private bool LookAtTurn(out PoolDriver[] resumed)
    {
        resumed = [];
        long steps = Volatile.Read(ref _steps);
        int turn = Volatile.Read(ref _turn);
        bool isSame = steps == _seen;
        _looks = isSame ? _looks + 1 : 0;
        _seen = steps;
        if (turn < 0) return !isSame;
        if (_looks < MostLooks || Interlocked.CompareExchange(ref _turn, Taken, turn) != turn) return true;
        SetMode(Mode.Blocked);
        PoolDriver blocked = _drivers[turn];
        resumed = [.. _held.Where(member => member != blocked)];
        _held.RemoveAll(member => member != blocked);
        return false;
    }

    private bool LookAtGathering(out PoolDriver[] resumed)
    {
        resumed = [];
        bool isSame = _gatherings == _seen;
        _seen = _gatherings;
        if (!isSame) return true;
        // One of them is in a call that lasts.
        resumed = [.. _held];
        _held.Clear();
        _notBefore = MachineClock.Now + _pause;
        _pause = Math.Min(_pause * 2, GroupChoice.MostPause);
        SetMode(Mode.Apart);
        return false;
    }
}
