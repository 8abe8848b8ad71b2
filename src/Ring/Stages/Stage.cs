using System.Diagnostics;

namespace Raceway.Rings;

/// <summary>One consumer of a ring: it follows its upstream in batches, calls its handler, and reports how far it is.</summary>
/// <remarks>
/// <b>Threads</b>: every member by any thread. <see cref="Step"/> is for stages that their caller drives.
/// </remarks>
/// <example>
/// <code>
/// Stage stage = ring.Subscribe(write, new StageOptions { Name = "write" });
/// ring.Start();
/// Console.WriteLine($"{stage.Name} is {stage.Lag} items behind: {stage.GetStatistics()}");
/// </code>
/// </example>
[DebuggerDisplay("{Name,nq}: at {Position}, lag {Lag}")]
public abstract partial class Stage : Steppable
{
    private readonly Sequencer _sequencer;
    private readonly Clock _clock;
    private readonly Progress[] _upstream;
    private readonly int[]? _processors;
    private readonly bool _isCut, _oneCallAStep;
    private StagePlacement _placement = StagePlacement.NotAsked;
    private Dispatch _dispatch;
    private Attendance? _attendance;
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _leaving;

    // Cut: one call may take less than all slots in a row. One call a step: it may await.
    private protected Stage(Ring ring, StageOptions options, string name, bool isCut, bool oneCallAStep)
    {
        options.Dispatch.CheckAgainst(ring.Capacity);
        (Ring, _sequencer, _clock) = (ring, ring.Sequencer, ring.Clock);
        (Options, _dispatch) = (options, options.Dispatch);
        (_isCut, _oneCallAStep) = (isCut, oneCallAStep);
        ring.Note(options.Dispatch);
        _upstream = [.. options.After.Select(stage => stage.Done)];
        _barrier = new SequenceBarrier(_sequencer, _upstream);
        _faults = new StageFaults(this, ring, options.OnFault ?? FaultPolicy.Stop);
        if (HasIdleHook || ring.ClaimTimeout != Timeout.InfiniteTimeSpan) _watch = new IdleWatch(ring, options.IdleTimeout, LeadsChain);
        if (options.Processors is not null) _placement = new StagePlacement(PlacementStatus.Pending, _processors = [.. options.Processors]);
        (Name, Upstream) = (name, [.. options.After]);
        Done = _sequencer.NewProgress(_sequencer.Start - 1);
        StartAfter(_sequencer.Start - 1);
    }

    /// <summary>The stage's name.</summary>
    public string Name { get; }

    /// <summary>The ring that it is a stage of.</summary>
    public Ring Ring { get; }

    /// <summary>The stages it follows; empty where it reads what producers publish.</summary>
    public IReadOnlyList<Stage> Upstream { get; }

    /// <summary>How the handler is called. May be set while running; read once a batch.</summary>
    /// <exception cref="ArgumentException">The minimum is above half the capacity, or a weight is set and nothing weighs.</exception>
    public Dispatch Dispatch
    {
        get => Volatile.Read(ref _dispatch);
        set
        {
            ArgumentNullException.ThrowIfNull(value);
            if (value.HasMaxWeight && !CanWeigh) throw StageErrors.NoWeigher(Name);
            value.CheckAgainst(Ring.Capacity);
            Ring.Note(value);
            Volatile.Write(ref _dispatch, value);
            // A stage asleep for a minimum that is no longer asked for must look again.
            Ring.Nudge();
        }
    }

    /// <summary>The last sequence it has passed.</summary>
    public long Position => Done.ReadAcquire();

    /// <summary>Items published that it has not passed: a snapshot, clamped to 0..capacity.</summary>
    public long Lag => Math.Clamp(_sequencer.PublishedThrough() - Position, 0, _sequencer.Capacity);

    /// <summary>Why it was taken out of the ring by its policy; null if it was not.</summary>
    public Exception? Fault { get; internal set; }

    /// <summary>What has become of <see cref="StageOptions.Processors"/>: settled before the stage's start hook runs.</summary>
    public StagePlacement Placement => Volatile.Read(ref _placement);

    /// <summary>
    /// Hands one batch to the handler, of a stage that its caller drives (<see cref="Drive.Caller"/>, <c>Plan.Manual</c>).
    /// <see cref="StepResult.More"/> says whether another step would find more.
    /// </summary>
    /// <remarks>
    /// <para><b>Threads</b>: by any, one at a time. While another thread is inside a step, or the ring ends the stage, the
    /// answer is <see cref="StepKind.Pending"/> and nothing is done; so it is in a handler that steps its own stage.</para>
    /// <para><b>Blocking</b>: never waits for items; a handler takes the time it takes.</para>
    /// </remarks>
    /// <param name="max">The most items of the batch, 1 or more. <see cref="Dispatch.Max"/> may say less.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="max"/> is below 1.</exception>
    /// <exception cref="InvalidOperationException">A thread, a group or the pool drives the stage.</exception>
    public StepResult Step(int max = int.MaxValue)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(max, 1);
        return Caller is null ? throw StageErrors.NotTheDriver(Name) : Caller.Step(max);
    }

    /// <summary>
    /// The handler, if it is a <typeparamref name="THandler"/>; a struct handler as it was after the last batch, so read it
    /// when the stage has ended.
    /// </summary>
    /// <exception cref="InvalidCastException">It is something else.</exception>
    public THandler GetHandler<THandler>() => (THandler)Handler;

    /// <summary>A snapshot of what it has done.</summary>
    public StageStatistics GetStatistics() => StageStatistics.Of(this, Volatile.Read(ref _attendance)?.Counts ?? default);

    internal Progress Done { get; }
    internal StageCounters Counters { get; } = new();
    internal StageOptions Options { get; }

    /// <summary>What its handler says of itself, see <see cref="IWideHandler"/>. Set before the stage is driven.</summary>
    internal int Width { get; set; } = 1;

    /// <summary>What its handler says of itself, see <see cref="IWholeBatchHandler"/>. Set before the stage is driven.</summary>
    internal bool TakesAll { get; set; }

    /// <summary>Splits its calls; null if it is not declared stateless, or is one thread's. Set before the stage is driven.</summary>
    internal SplitCalls? Split { get; set; }

    /// <summary>Whether several threads may call its handler, for separate runs of items.</summary>
    internal virtual bool CanSplit => false;

    /// <summary>Whether it publishes into a further ring, which would have nothing more without it.</summary>
    internal virtual bool FeedsOthers => false;

    internal override Ring Owner => Ring;
    internal override bool HasIdleHook => Options.IdleTimeout != Timeout.InfiniteTimeSpan;

    internal override int MostShort => Quantum.MostShortOf(Ring.Capacity);
    internal override int LeastStep => Math.Max(LeastOf(Dispatch), Split?.Most ?? 1);
    internal override bool LeadsChain => _upstream.Length == 0;

    /// <summary>Bytes from one of its slots to the next.</summary>
    internal abstract int SlotBytes { get; }

    /// <summary>True once a pending handler has been given up: its slots are never taken back.</summary>
    internal virtual bool IsAbandoned => false;

    /// <summary>Whether its start hook has returned, and its stop hook has not been called.</summary>
    internal bool HasBegun { get; private set; }

    /// <summary>Completes when it will not call its handler again, its stop hook included.</summary>
    internal Task Ended => _ended.Task;

    /// <summary>The most items of a batch.</summary>
    internal int MostOf(Dispatch dispatch) => TakesAll && dispatch.Max is null ? Ring.Capacity : dispatch.MaxIn(Ring.Capacity);

    private int LeastOf(Dispatch dispatch) => TakesAll ? MostOf(dispatch) : dispatch.Min;

    internal void MarkEnded() => _ended.TrySetResult();

    /// <summary>Whether it has not passed all that the stages before it have; as a first stage, up to <paramref name="target"/>.</summary>
    internal bool Lags(long target) => Position < (LeadsChain ? target : _upstream.Min(static cell => cell.ReadAcquire()));

    /// <summary>How its caller steps it; null if a thread, a group or the pool drives it.</summary>
    internal CallerStepping? Caller { get; private set; }

    internal bool IsLeaving => Volatile.Read(ref _leaving) != 0;

    /// <summary>What the system has accounted to the thread that drives it; null if no one thread does, or the system does not count.</summary>
    internal ThreadTimes? ThreadTimes => Volatile.Read(ref _attendance)?.Waiting.Account?.Read();

    /// <summary>Whether the two have the same waits and times: one thread drives them.</summary>
    internal bool IsDrivenWith(Stage other) =>
        Volatile.Read(ref _attendance) is { } mine && ReferenceEquals(mine.Waiting, Volatile.Read(ref other._attendance)?.Waiting);

    // By one at a time: its driver, or what hands it to another one.
    internal override void Attend(Waiting waiting, bool inGroup = false)
    {
        Volatile.Write(ref _attendance, _attendance?.Then(waiting) ?? new Attendance(waiting, default));
        if (Split is not null) Split.InGroup = inGroup;
    }

    /// <summary>What the loop remembers. Owner thread.</summary>
    internal ref LoopState State => ref _at;

    /// <summary>Sharded ring: where the stage stands among the runs, see <see cref="Lanes.Find"/>. Owner thread.</summary>
    internal ref long LaneRun => ref _at.LaneRun;

    /// <summary>One past the last item that the current call of the handler was given, or that its fault is about. Owner thread.</summary>
    internal long CallEnd { get; set; }

    /// <summary>One past the last item that the current call has completed. Owner thread.</summary>
    internal long Reached { get; set; }

    /// <summary>Whether its handler has single items, so that a fault is always about the one at <see cref="Reached"/>.</summary>
    internal virtual bool FaultIsExact => false;

    /// <summary>The handler, for its optional interfaces.</summary>
    internal abstract object Handler { get; set; }

    /// <summary>Hands over <paramref name="count"/> items from <paramref name="first"/>. Reports progress in between, but not the last of it.
    /// Keeps <see cref="Reached"/> right also when it throws. False: pending, or not all is done (<see cref="Take"/>).</summary>
    internal abstract bool Invoke(long first, int count, Dispatch dispatch);

    /// <summary>The most items from <paramref name="sequence"/> on that one call can take, of <paramref name="within"/> that matter:
    /// fewer <paramref name="byWeight"/> if the next is too heavy; 0 if the first is <paramref name="unweighed"/>.</summary>
    private protected abstract int MostFrom(long sequence, long within, Dispatch dispatch, out bool byWeight, out Exception? unweighed);

    /// <summary>Handlers that complete later: takes the result, once it is there. Throws what the handler threw.</summary>
    private protected virtual bool TryFinish() => Split is null || Split.TryFinish();

    /// <summary>Where a pending handler reports its completion, and when to look after it at the latest.</summary>
    private protected virtual (Progress Cell, long Awaited, long Deadline) Completion => Split?.Completion ?? (Done, Progress.Never, Clock.Never);

    /// <summary>What the time until then is counted as: that of the handler's task is work.</summary>
    private protected virtual Stall PendingFor => Stall.Own;

    /// <summary>Whether anything says what an item weighs.</summary>
    private protected abstract bool CanWeigh { get; }

    /// <summary>Asks a typed decider about the item at <paramref name="sequence"/>.</summary>
    internal abstract FaultAction Decide(Delegate decider, long sequence, in FaultContext context);

    /// <summary>Hands the item at <paramref name="sequence"/> to a typed dead-letter sink.</summary>
    internal abstract void DeadLetter(Delegate sink, long sequence, in FaultContext context);

    /// <summary>Places the stage behind <paramref name="sequence"/>, before its first step.</summary>
    internal void StartAfter(long sequence)
    {
        Debug.Assert(!HasBegun, "A stage is placed before it begins.");
        (_at.Next, _at.Seen, _at.LaneRun) = (sequence + 1, sequence, -1);
        _at.FailedThrough = _at.Closer.OwedThrough = sequence;
        Reached = sequence + 1;
        Done.Advance(sequence);
    }

    internal override void PlaceThread()
    {
        if (_processors is not null) Volatile.Write(ref _placement, StagePlacement.Bind(_processors));
    }

    internal override void CannotPlace(string reason)
    {
        if (_processors is not null) Volatile.Write(ref _placement, StagePlacement.Unsupported(_processors, reason));
    }

    internal override void Begin()
    {
        CallHook<IStageLifetime>(static lifetime => lifetime.OnStart());
        HasBegun = true;
    }

    internal override void End()
    {
        try
        {
            if (!HasBegun) return;
            HasBegun = false;
            CallHook<IStageLifetime>(static lifetime => lifetime.OnStop());
        }
        finally
        {
            Split?.End();
            _ended.TrySetResult();
        }
    }

    internal void DriveByCaller()
    {
        Caller = new CallerStepping(this, Ring);
        CannotPlace("its caller steps it, on a thread of the caller's");
    }

    /// <summary>Wakes every thread that waits for this stage.</summary>
    internal virtual void WakeWaiters() => Done.WakeAll();

    /// <summary>Ends the stage alone, after its current call.</summary>
    internal void Leave() => Volatile.Write(ref _leaving, 1);

    internal override void LeaveAll() => Leave();

    // A hook is a call of the handler as well: it must not wait for the room or the end that only its stage can bring.
    private void CallHook<THook>(Action<THook> call)
    {
        object handler = Handler;
        if (handler is not THook hook) return;
        object? outer = Reentrancy.Enter(Ring.Family);
        try
        {
            call(hook);
        }
        finally
        {
            Reentrancy.Exit(outer);
        }

        Handler = handler;
    }
}
