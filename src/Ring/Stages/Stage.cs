using System.Diagnostics;

namespace Raceway.Rings;

/// <summary>One consumer of a ring: it follows its upstream in batches, calls its handler, and reports how far it is.</summary>
/// <remarks>
/// <para>A step: 1. look whether the ring's state changed. 2. finish what is pending. 3. if what was seen is used up (or is
/// below the minimum), look upstream once. 4. close a batch by the policy. 5. hand it over; report progress.</para>
/// <para><b>Threads</b>: every member by any thread. <see cref="Step"/> is for stages that their caller drives.</para>
/// </remarks>
[DebuggerDisplay("{Name,nq}: at {Position}, lag {Lag}")]
public abstract partial class Stage : Steppable
{
    private readonly Ring _ring;
    private readonly Sequencer _sequencer;
    private readonly Progress[] _upstream;
    private readonly StageOptions _options;
    private Dispatch _dispatch;
    private Place _at;
    private int _leaving;

    private protected Stage(Ring ring, StageOptions options, string name)
    {
        options.Dispatch.CheckAgainst(ring.Capacity);
        _ring = ring;
        _sequencer = ring.Sequencer;
        _options = options;
        _dispatch = options.Dispatch;
        ring.Note(options.Dispatch);
        _upstream = [.. options.After.Select(stage => stage.Done)];
        if (options.Processors is { } processors)
        {
            _processors = [.. processors];
            _placement = new StagePlacement(PlacementStatus.Pending, _processors);
        }

        Name = name;
        Upstream = [.. options.After];
        Done = _sequencer.NewProgress(_sequencer.Start - 1);
        StartAfter(_sequencer.Start - 1);
    }

    /// <summary>The stage's name.</summary>
    public string Name { get; }

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
            if (value.HasMaxWeight && !CanWeigh) throw Throw.NoWeigher(Name);
            value.CheckAgainst(_ring.Capacity);
            _ring.Note(value);
            Volatile.Write(ref _dispatch, value);
            // A stage asleep for a minimum that is no longer asked for must look again.
            _ring.Nudge();
        }
    }

    /// <summary>The last sequence it has passed.</summary>
    public long Position => Done.ReadAcquire();

    /// <summary>Items published that it has not passed: a snapshot, clamped to 0..capacity.</summary>
    public long Lag => Math.Clamp(_sequencer.PublishedThrough() - Position, 0, _sequencer.Capacity);

    internal Progress Done { get; }

    internal StageCounters Counters { get; } = new();

    internal StageOptions Options => _options;

    internal override Ring Owner => _ring;

    internal override int LeastStep => Dispatch.Min;

    internal override bool LeadsChain => _upstream.Length == 0;

    internal long BatchDepth => _at.Depth;

    /// <summary>Items known to be readable from <paramref name="sequence"/> on. Owner thread.</summary>
    internal long BacklogFrom(long sequence) => _at.Seen - sequence + 1;

    /// <summary>Bytes from one of its slots to the next.</summary>
    internal abstract int SlotBytes { get; }

    internal CloseReason BatchCloseReason => _at.Reason;

    internal TimeSpan BatchAge => _at.SeenAt == 0 ? TimeSpan.Zero : Stopwatch.GetElapsedTime(_at.SeenAt);

    /// <summary>Sharded ring: where the stage stands among the segments, see <see cref="Lanes.Find"/>. Owner thread.</summary>
    internal ref long Segment => ref _at.Segment;

    /// <summary>One past the last item that the current call of the handler was given. Owner thread.</summary>
    private protected long CallEnd { get; set; }

    /// <summary>One past the last item that the current call has completed. Owner thread.</summary>
    private protected long Reached { get; set; }

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
        return _callerDriven ? StepForCaller(max) : throw Throw.NotTheDriver(Name);
    }

    internal override StepResult StepOnce(int quantum = int.MaxValue)
    {
        long word = _ring.Control.Word;
        _at.ControlSeen = word;
        bool ends = (word & Control.Halted) != 0 || Volatile.Read(ref _leaving) != 0;
        // A handler that still runs keeps its slots, whatever the state: the stage ends when it has completed.
        if (ends && (_at.Running == 0 || IsAbandoned)) return StepResult.Stopped;
        if (_at.IsPending && !Resume(out StepResult resumed)) return resumed;

        Dispatch dispatch = Volatile.Read(ref _dispatch);
        long known = _at.Seen - _at.Next + 1;
        if (known < dispatch.Min && (known = Look(dispatch)) <= 0) return StepResult.Idle;

        int limit = dispatch.MaxIn(_sequencer.Capacity);
        int most = Math.Min(quantum, MostFrom(_at.Next, Math.Min(known, quantum), dispatch));
        if (most < limit)
        {
            if (most == 0) return OnUnweighed();
            // What counted for the minimum together is not held back by it afterwards.
            _at.OwedThrough = Math.Max(_at.OwedThrough, _at.Next + Math.Min(known, limit) - 1);
            limit = most;
        }

        if (_at.Next <= _at.IsolateThrough) limit = 1;
        bool more = known > limit;
        int count = more ? limit : (int)known;
        _at.Depth = known;
        _at.Reason = more ? ReasonOfCut(_at.Next + limit, dispatch) : _at.ShortReason;
        return Run(count, dispatch, more);
    }

    /// <summary>Why it was taken out of the ring by its policy; null where it was not.</summary>
    public Exception? Fault { get; internal set; }

    /// <summary>
    /// The handler, where it is a <typeparamref name="THandler"/>; a struct handler as it was after the last batch, so to
    /// be read when the stage has ended.
    /// </summary>
    /// <exception cref="InvalidCastException">It is something else.</exception>
    public THandler GetHandler<THandler>() => (THandler)Handler;

    /// <summary>Hands over <paramref name="count"/> items from <paramref name="first"/>, reporting progress as the policy
    /// says, and keeping <see cref="Reached"/> right also when the handler throws. False: the handler is pending, or has
    /// returned something else than that all is done (<see cref="Take"/>).</summary>
    private protected abstract bool Invoke(long first, int count, Dispatch dispatch);

    /// <summary>The most items from <paramref name="sequence"/> on that one call can take; 0 where <see cref="Unweighed"/>.</summary>
    /// <param name="sequence">The first.</param>
    /// <param name="within">How many of those that are there matter.</param>
    /// <param name="dispatch">The policy.</param>
    private protected abstract int MostFrom(long sequence, long within, Dispatch dispatch);

    /// <summary>Handlers that complete later: takes the result, once it is there. Throws what the handler threw.</summary>
    private protected virtual bool TryFinish() => true;

    /// <summary>True once a pending handler has been given up: its slots are never taken back.</summary>
    internal virtual bool IsAbandoned => false;

    /// <summary>Where a pending handler reports its completion, and when to look after it at the latest.</summary>
    private protected virtual (Progress Cell, long Awaited, long Deadline) Completion => (Done, Progress.Never, Clock.Never);

    /// <summary>What the time until then is counted as: that of the handler's task is work.</summary>
    private protected virtual Stall PendingFor => Stall.Own;

    /// <summary>The handler, for its optional interfaces.</summary>
    private protected abstract object Handler { get; set; }

    /// <summary>Places the stage behind <paramref name="sequence"/>, before its first step.</summary>
    internal void StartAfter(long sequence)
    {
        _at.Next = sequence + 1;
        _at.Seen = sequence;
        _at.Segment = -1;
        _at.IsolateThrough = _at.OwedThrough = _at.AttemptAt = sequence;
        Reached = sequence + 1;
        Done.Advance(sequence);
    }

    /// <summary>Ends the stage alone, after its current call.</summary>
    internal void Leave() => Volatile.Write(ref _leaving, 1);

    internal override void LeaveAll() => Leave();

    internal bool IsLeaving => Volatile.Read(ref _leaving) != 0;

    /// <summary>The handler passes over everything before <paramref name="sequence"/> that is not done.</summary>
    internal void Drop(long sequence)
    {
        long dropped = sequence - Reached;
        if (dropped <= 0) return;
        _at.Dropped += (int)dropped;
        Counters.Add(Counter.Skipped, dropped);
        Counters.Add(Counter.Dropped, dropped);
        Mark(sequence);
    }

    /// <summary>The handler says that everything before <paramref name="sequence"/> is done.</summary>
    internal void Mark(long sequence)
    {
        if (sequence <= Reached) return;
        Reached = sequence;
        if (sequence - 1 - Done.ReadAcquire() >= Math.Max(1, Dispatch.ProgressInterval)) Done.Advance(sequence - 1);
    }

    private StepResult Run(int count, Dispatch dispatch, bool more)
    {
        long first = _at.Next;
        Reached = first;
        object? outer = Reentrancy.Enter(_ring.Family);
        try
        {
            if (!Invoke(first, count, dispatch)) return OnOpenCall(first, count);
        }
        catch (Exception fault)
        {
            return OnFault(fault, first, count);
        }
        finally
        {
            Reentrancy.Exit(outer);
        }

        return Settle(first, more);
    }

    private StepResult Settle(long first, bool more)
    {
        int handled = (int)(Reached - first) - _at.Dropped;
        _at.Dropped = 0;
        _at.Next = Reached;
        _at.IdleSince = 0;
        // Whoever slept on this cell may not come back to calm it.
        if ((++_at.Steps & 255) == 0) Done.LeaveParkingRegime();
        if (!more) _at.SeenAt = _at.LaterSeenAt = 0;
        if (_at.LaterSeenAt != 0 && _at.Next > _at.OldestThrough)
        {
            _at.SeenAt = _at.LaterSeenAt;
            _at.LaterSeenAt = 0;
        }

        if (handled > 0) Counters.AddBatch(handled, _at.Reason);
        return new StepResult(StepKind.Progressed, handled, more);
    }
}
