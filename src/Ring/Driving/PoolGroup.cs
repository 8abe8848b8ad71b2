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
/// <para><b>A handler that blocks</b> must not hold up the other stages for ever: it may wait for them. A watch looks every 50 ms. Where it
/// finds the same step of all again, it takes the turn from the thread, and the others are ready; the thread keeps the stage that it is
/// in. Another watch gives up a gathering that is not over within 10 to 20 ms. All groups of a pool share the rounds (<see cref="Watches"/>).</para>
/// <para>Why one thread at a time steps a stage: its own driver does, until that has come here. Then the thread of all does, from one
/// successful exchange of <see cref="_turn"/> to the next. Then its own driver does again, once it is out of <see cref="_held"/>. The
/// stage that the turn was taken in stays there until the driver of all ends.</para>
/// </remarks>
internal sealed partial class PoolGroup : Steppable
{
    private const int NoTurn = -1, Taken = -2;

    private readonly object _gate = new();
    private readonly Ring _ring;
    private readonly long _slice;
    private readonly ReadyQueue _ready;
    private readonly Func<GroupPosition> _position;
    // Under the gate; the mode is read by others too.
    private readonly List<PoolDriver> _members; // that have not ended, each behind its upstream
    private readonly List<PoolDriver> _held = []; // of those, the ones that wait here
    private PoolDriver? _first; // of the members; read by them
    private Stage[] _counted; // the members' stages; read by them, and by the driver of all
    private int _toBegin; // members that have not begun: their start hooks have not returned
    private int _mode = (int)Mode.Apart;
    private bool _lingers; // read by the members
    private long _gatherings;
    private long _notBefore; // no gathering before that time: the last one was given up
    private long _pause = s_firstPause;
    // Of the driver of all.
    private PoolDriver[] _drivers = [];
    private Stage[] _stages = [];
    private bool _isChain; // each follows the one before it, and that one alone
    private int _quantum;
    private int _turn = NoTurn; // the stage with the step that is under way
    private long _steps;
    private bool _overlaps; // in the last step another thread would have had something to do, too
    private long _overlappedSteps; // in which that was so
    private bool _parts; // it has been decided to
    private bool _keepsApart; // by any thread, once
    private long _joined;
    // Together: of the driver of all. Apart: of the driver of the first stage.
    private GroupChoice _choice = new(canGain: !Cpu.IsAlone, MachineClock.Now);

    /// <param name="ring">The ring that they are stages of.</param>
    /// <param name="members">Their drivers, each behind those of its upstream. None is launched yet.</param>
    public PoolGroup(Ring ring, IReadOnlyList<PoolDriver> members)
    {
        Debug.Assert(members.Count > 1, "One stage alone is stepped alone.");
        _ring = ring;
        _members = [.. members];
        (_first, _toBegin) = (_members[0], _members.Count);
        SetStages(_counted = StagesOf(_members));
        (_slice, _ready) = (members[0].Slice, members[0].Ready);
        _stepping = new(_ready.Steps, () => Look(Mode.Together));
        _gathering = new(_ready.Gatherings, () => Look(Mode.Gathering));
        _position = () => GroupPosition.Of(Volatile.Read(ref _counted));
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

    /// <summary>Whether a driver that is stepped now is to come here.</summary>
    public bool Gathers => Volatile.Read(ref _mode) == (int)Mode.Gathering;

    /// <summary>Whether stages linger that find nothing (<see cref="Lingering"/>): they are apart as they may do more items so, and for no other reason.</summary>
    public bool Lingers => Volatile.Read(ref _lingers) && Volatile.Read(ref _counted).Length > 1 && !Volatile.Read(ref _keepsApart);

    /// <summary>Steps of all in which more than one stage had something to do; for tests.</summary>
    public long Overlapped => Volatile.Read(ref _overlappedSteps);

    /// <summary>How often they have come together; for tests.</summary>
    public long Joined => Volatile.Read(ref _joined);

    /// <summary>The start hooks of one more have returned. The last one brings them together.</summary>
    public void Began()
    {
        Gate.Enter(_gate);
        bool all = --_toBegin == 0;
        Gate.Exit(_gate);
        if (all) Gather();
    }

    /// <summary>From now on each stage is a unit by itself, so that its times are its own.</summary>
    public void KeepApart()
    {
        Volatile.Write(ref _keepsApart, true);
        _ring.Nudge();
    }

    /// <summary>A stage has been stepped by its own driver.</summary>
    /// <param name="driver">That driver.</param>
    /// <param name="result">What the step did: items were handled, or it found nothing.</param>
    /// <param name="from">When the step began, in <see cref="MachineClock"/> ticks.</param>
    /// <param name="now">When it ended.</param>
    public void MemberStepped(PoolDriver driver, in StepResult result, long from, long now)
    {
        if (Volatile.Read(ref _mode) != (int)Mode.Apart || driver != Volatile.Read(ref _first)) return;
        if (result.Kind == StepKind.Idle) _choice.FoundNothing(((Stage)driver.Unit).Position, now);
        else if (_choice.JoinsAfter(from, now, _position) && now >= Volatile.Read(ref _notBefore)) Gather();
    }

    /// <summary>A step of <paramref name="driver"/> is over. True: the group has it from now on, so its caller touches nothing of it any
    /// more: it may be stepped elsewhere.</summary>
    /// <remarks>Behind a step, and not before: the gathering changes the ring's control word, which the step has looked at. A driver
    /// that sees no gathering here finds the word changed once it has armed.</remarks>
    public bool Takes(PoolDriver driver)
    {
        Gate.Enter(_gate);
        bool takes = _mode == (int)Mode.Gathering;
        if (takes) _held.Add(driver);
        PoolDriver? all = DriverOfAll();
        Gate.Exit(_gate);
        all?.Launch();
        return takes;
    }

    /// <summary>A member has ended, or never begins.</summary>
    /// <param name="member">Its driver.</param>
    /// <param name="hasBegun">Whether its start hooks have returned.</param>
    public void Left(PoolDriver member, bool hasBegun)
    {
        Gate.Enter(_gate);
        bool wasAwaited = !hasBegun && --_toBegin == 0;
        Debug.Assert(!_held.Contains(member), "What waits here cannot end.");
        _members.Remove(member);
        if (_members.Count > 0) Volatile.Write(ref _counted, StagesOf(_members));
        Volatile.Write(ref _first, _members.Count > 0 ? _members[0] : null);
        PoolDriver? all = DriverOfAll();
        Gate.Exit(_gate);
        all?.Launch();
        if (wasAwaited) Gather();
    }

    internal override StepResult StepOnce(int quantum = int.MaxValue)
    {
        if (_parts) return StepResult.Stopped;
        if (Volatile.Read(ref _keepsApart))
        {
            _choice.PartUnmeasured();
            return StepResult.Stopped;
        }

        Volatile.Write(ref _steps, _steps + 1);
        // ORDER: full; the turn, and then whether the watch is set. Pairs with Watch.Look: the watch is off, and then it looks at the turn.
        Interlocked.Exchange(ref _turn, 0);
        if (!_stepping.IsSet) _stepping.Set();
        PoolThread thread = PoolThread.Current!;
        int most = MostOf(quantum);
        long begun = _stages[0].Position;
        (int handled, bool progressed, bool more) = (0, false, false);
        for (int i = 0; i < _stages.Length; i++)
        {
            Stage stage = _stages[i];
            if (i == _stages.Length - 1) _overlaps = Overlaps(begun, more);
            StepResult result = stage.StepOnce(Math.Max(most, stage.LeastStep));
            // What its handler has set must not reach the next one's.
            if (result.Kind != StepKind.Idle || stage.HasIdleHook) thread.LeaveContext();
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

        if (progressed && _overlaps) Volatile.Write(ref _overlappedSteps, _overlappedSteps + 1);
        return progressed ? new StepResult(StepKind.Progressed, handled, more) : StepResult.Idle;
    }

    /// <summary>The driver of all ends: those that wait here still are ready again.</summary>
    internal override void End()
    {
        _choice.Begin(_position(), MachineClock.Now);
        _parts = false;
        Gate.Enter(_gate);
        PoolDriver[] resumed = [.. _held];
        _held.Clear();
        SetMode(Mode.Apart, lingers: _choice.Compares);
        Gate.Exit(_gate);
        foreach (PoolDriver member in resumed) member.Resume();
    }

    internal override int MostStays => Staying.MostStepsOfGroup;

    // No more than what goes through at a time: a driver that asks for more has found that calls take long.
    internal override int MostShort => Math.Clamp(_quantum, Quantum.Most, Quantum.MostShortOf(_ring.Capacity));

    internal override void Stepped(in StepResult result, long from, long now)
    {
        if (result.Kind == StepKind.Idle) _choice.FoundNothing(position: 0, now);
        else _parts |= _choice.PartsAfter(from, now, _position, result.More || result.Count >= _ring.Capacity / 2, _overlaps, _ready.HasWork);
    }

    // So that a batch of all is in the nearest cache.
    internal override int MostOf(int quantum) => quantum > MostShort ? quantum : Math.Min(quantum, _quantum);

    internal override void Attend(Waiting waiting, bool inGroup = false)
    {
        foreach (Stage stage in _stages) stage.Attend(waiting, inGroup: true);
    }

    // Whether another thread would have had something to do, too: a stage has left more, or the first one has taken more than one item
    // since the step began, or there is another for it. Asked before the last stage is stepped: where one item at a time is under way, the
    // next one comes behind that. One sequence is looked at: to count what waits may be a look at each slot.
    private bool Overlaps(long begun, bool more) =>
        more || !_isChain || _stages[0].Position > begun + 1 || _ring.Sequencer.Cursor.IsReached(_stages[0].Position + 1);

    private void SetStages(Stage[] stages)
    {
        _stages = stages;
        _isChain = stages.Skip(1).Zip(stages).All(static pair => pair.First.Upstream is [var only] && only == pair.Second);
        _quantum = FusedStages.QuantumOf(stages);
    }

    private static Stage[] StagesOf(List<PoolDriver> drivers) => [.. drivers.Select(static driver => (Stage)driver.Unit)];

    private void Gather()
    {
        Gate.Enter(_gate);
        bool gathers = _mode == (int)Mode.Apart && _toBegin == 0 && _members.Count > 1 && !Volatile.Read(ref _keepsApart);
        if (gathers)
        {
            SetMode(Mode.Gathering);
            _gatherings++;
        }

        Gate.Exit(_gate);
        if (!gathers) return;
        _gathering.Set();
        _ring.Nudge();
    }

    /// <summary>The driver of all, where the last one has come; else null.</summary>
    private PoolDriver? DriverOfAll()
    {
        Debug.Assert(Gate.IsHeld(_gate), "The members change under the gate.");
        if (_mode != (int)Mode.Gathering || _held.Count < _members.Count || _members.Count == 0) return null;
        _pause = s_firstPause;
        _drivers = [.. _members];
        SetStages(StagesOf(_members));
        Volatile.Write(ref _turn, NoTurn);
        _choice.Begin(_position(), MachineClock.Now);
        Volatile.Write(ref _joined, _joined + 1);
        SetMode(Mode.Together);
        return new PoolDriver(this, _slice, cuts: false, _ready);
    }

    private void SetMode(Mode mode, bool lingers = false)
    {
        Debug.Assert(Gate.IsHeld(_gate), "The mode changes under the gate.");
        Volatile.Write(ref _mode, (int)mode);
        Volatile.Write(ref _lingers, lingers);
    }
}
