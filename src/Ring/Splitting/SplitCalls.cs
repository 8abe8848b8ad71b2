using System.Diagnostics;
using System.Runtime.ExceptionServices;

namespace Raceway.Rings;

/// <summary>Calls of a stateless stage's handler that several threads of the pool work on.</summary>
/// <remarks>
/// <para>A call that is worth it (<see cref="SplitGauge"/>) is opened and offered to helpers. They are units of the pool like
/// stages: the <see cref="ReadyQueue"/> decides how many threads they get. Other units have their turns at the end of a
/// slice, or behind a part that makes another unit ready. The stage is pending meanwhile, as it is for a handler that awaits, and holds
/// no thread.</para>
/// <para>While the stage is stepped together with others (<see cref="PoolGroup"/>), a split call parts them. So a call is split there only
/// if it is long enough for that.</para>
/// <para>Helpers take parts in order, the large ones first (guided self-scheduling, as workers do). What is done without a gap from
/// the first item on is reported as soon as it is: later stages see items in order. The helper that ends the last part completes the
/// call, and its thread goes on with the stage.</para>
/// <para>Once a part has failed no further ones are taken. When those under way have ended, the first that failed is what the stage's
/// call has thrown, with everything before it done. What is done behind it is kept, and passed over when the stage comes to it.</para>
/// </remarks>
internal sealed class SplitCalls
{
    private const int PartsAThread = 16;

    // What a thread is given of a large call: so much work, and so many items at least.
    private const int LeastOfThread = 4;

    private static readonly long s_callOfThread = 5 * SplitGauge.Worth;

    private readonly object _gate = new();
    private readonly Stage _stage;
    private readonly Wait _wait;
    private readonly Helper[] _helpers;
    private readonly Part[] _parts;
    private readonly List<DoneAhead> _ahead; // of the stage's driver, as what follows up to _call
    private SplitGauge _gauge;
    private int _mostApart = 1;
    private long _together; // one past the part that failed: it is offered again as it was
    private readonly Progress _completed; // the last call of which all parts have ended
    private long _call;
    private bool _hasEnded;
    // What follows is under the gate.
    private Dispatch _dispatch = Dispatch.Single;
    private long _first; // of the call
    private long _next; // the next item to be taken
    private long _end;
    private int _least; // items of a part
    private int _most;
    private int _taken; // parts
    private int _passed; // parts done without a gap
    private int _underWay;
    private bool _stops; // no part is taken any more
    private bool _isOpen;
    private long _ticks;
    private int _threads;

    /// <param name="stage">The stage.</param>
    /// <param name="wait">How it waits: by the thread pool.</param>
    /// <param name="seats">A stage of the same kind for each thread that may help, in no ring.</param>
    public SplitCalls(Stage stage, Wait wait, IReadOnlyList<Stage> seats)
    {
        Debug.Assert(seats.Count > 1 && wait.PoolSlice is not null, "Several threads of the pool work on a call.");
        _stage = stage;
        _wait = wait;
        Sequencer sequencer = stage.Ring.Sequencer;
        _completed = sequencer.NewProgress(0);
        _helpers = [.. seats.Select(seat => new Helper(this, seat, sequencer.NewProgress(0)))];
        _parts = new Part[PartsAThread * seats.Count];
        _ahead = new List<DoneAhead>(_parts.Length);
    }

    /// <summary>The most items of a call, if that is more than the dispatch says: parts are as large as the dispatch says. 1 while the
    /// stage is stepped together with others. The stage's driver.</summary>
    public int Most => InGroup ? 1 : _mostApart;

    /// <summary>Whether the stage is stepped together with others. Written by what hands it to another driver; read by its driver.</summary>
    public bool InGroup { get; set; }

    /// <summary>What the stage waits for while a call is open.</summary>
    public (Progress Cell, long Awaited, long Deadline) Completion => (_completed, Volatile.Read(ref _call), Clock.Never);

    /// <summary>Whether the stage has ended, and its helpers with it.</summary>
    public bool HasEnded => Volatile.Read(ref _hasEnded);

    /// <summary>Calls the handler; false where parts of the call are under way. The stage's driver, as all up to <see cref="End"/>.</summary>
    public bool Call(long first, int count, Dispatch dispatch)
    {
        int max = _stage.MostOf(dispatch);
        if (_ahead.Count > 0 || first < _together) return CallBehindFault(first, Math.Min(count, max), dispatch);
        if (_gauge.Pays(count, InGroup))
        {
            Open(first, count, max, dispatch);
            return false;
        }

        if (count > max)
        {
            // More was closed than one call takes, to be split.
            count = max;
            _stage.State.Reason = CloseReason.Full;
        }

        if (!_gauge.Times(count)) return _stage.Invoke(first, count, dispatch);
        long from = MachineClock.Now;
        bool done = _stage.Invoke(first, count, dispatch);
        _gauge.AddWhole(count, MachineClock.Now - from);
        SetMost();
        return done;
    }

    /// <summary>Takes what the parts have done, once they have all ended. Throws what the first that failed has thrown.</summary>
    public bool TryFinish()
    {
        // ORDER: acquire; pairs with the completing helper's AdvanceTo. Behind it the parts are the stage's driver's alone.
        if (!_completed.IsReached(_call)) return false;
        Gate.Enter(_gate);
        Debug.Assert(!_isOpen && _underWay == 0, "A call is completed when no part of it is under way.");
        (long reached, long end) = _passed < _taken ? (_parts[_passed].Reached, _parts[_passed].CallEnd) : (_next, _next);
        for (int i = 0; i < _passed; i++) CountDropped(_parts[i].Dropped);
        _stage.Reached = reached;
        _stage.CallEnd = end;
        _stage.Counters.Add(Counter.Split);
        _stage.Counters.Add(Counter.Parts, _taken);
        _gauge.AddSplit(_next - _first, _ticks, _threads);
        Exception? fault = null;
        if (_passed < _taken)
        {
            CountDropped(_parts[_passed].Dropped);
            fault = _parts[_passed].Fault;
            _together = end;
            KeepAhead();
        }

        Gate.Exit(_gate);
        SetMost();
        if (fault is not null) ExceptionDispatchInfo.Throw(fault);
        return true;
    }

    /// <summary>The stage has ended: so do its helpers.</summary>
    public void End()
    {
        Volatile.Write(ref _hasEnded, true);
        foreach (Helper helper in _helpers) helper.Dismiss(_call + 1);
    }

    /// <summary>Takes the next part; false where there is none. Helpers.</summary>
    public bool TryTake(Helper helper, out int index, out Part part, out Dispatch dispatch)
    {
        Gate.Enter(_gate);
        if (_stage.Ring.Control.IsHalted || _stage.IsLeaving) _stops = true;
        bool taken = _isOpen && !_stops && _next < _end;
        index = _taken;
        part = default;
        dispatch = _dispatch;
        if (taken)
        {
            part = _parts[_taken++] = new Part(_next, _next + SizeOf(_end - _next));
            _next = part.End;
            _underWay++;
            if (helper.TookPartIn != _call) _threads++;
            helper.TookPartIn = _call;
            helper.TakeBatchOf(_stage);
        }

        bool completes = Completes();
        Gate.Exit(_gate);
        if (completes) helper.Report(_completed, _call);
        return taken;
    }

    /// <summary>A helper's part has ended. Reports what that completes; whether there are more parts. Helpers.</summary>
    public bool Finish(Helper helper, int index, Exception? fault, long ticks)
    {
        Stage seat = helper.Seat;
        Gate.Enter(_gate);
        ref Part part = ref _parts[index];
        (part.Reached, part.CallEnd, part.Dropped, part.Fault) = (seat.Reached, seat.CallEnd, seat.State.Dropped, fault);
        // The ring was halted, if there is no fault.
        if (!part.IsDone) _stops = true;
        _ticks += ticks;
        _underWay--;
        int passed = _passed;
        while (_passed < _taken && _parts[_passed].IsDone) _passed++;
        bool moved = _passed > passed;
        long done = moved ? _parts[_passed - 1].End - 1 : 0;
        bool more = !_stops && _next < _end;
        bool completes = Completes();
        long call = _call;
        Gate.Exit(_gate);
        // Two helpers may come here at once, in any order: the cell moves on to the farther of the two.
        if (completes) helper.Report(_completed, call);
        else if (moved) helper.Report(_stage.Done, done);
        return more;
    }

    private void Open(long first, int count, int max, Dispatch dispatch)
    {
        Gate.Enter(_gate);
        Debug.Assert(!_isOpen && _underWay == 0, "One call at a time.");
        Volatile.Write(ref _call, _call + 1);
        _dispatch = dispatch;
        _first = _next = first;
        _end = first + Math.Min(count, (long)max * _parts.Length);
        double worth = SplitGauge.Worth / 4.0 / _gauge.Cost;
        _most = max;
        _least = (int)Math.Clamp(worth, Math.Max(dispatch.Min, (_end - first + _parts.Length - 1) / _parts.Length), max);
        (_taken, _passed, _stops, _isOpen) = (0, 0, false, true);
        (_ticks, _threads) = (0, 0);
        int helpers = (int)Math.Clamp((_end - first) / _least, 1, _helpers.Length);
        Gate.Exit(_gate);
        for (int i = 0; i < helpers; i++) _helpers[i].Offer(_call, _stage, _wait);
    }

    // What remains is shared out by halves of what would be fair, so that threads end together. A width is not cut.
    private int SizeOf(long left)
    {
        long count = Math.Clamp(left / (2 * _helpers.Length), _least, _most);
        count = Math.Min((count + _stage.Width - 1) / _stage.Width * _stage.Width, _most);
        if (count >= left) return (int)left;
        // What is left behind it is no smaller than a batch may be, where that is possible.
        if (left - count < _dispatch.Min) count = left <= _most ? left : Math.Max(left - _dispatch.Min, _dispatch.Min);
        return (int)count;
    }

    private bool Completes()
    {
        Debug.Assert(Gate.IsHeld(_gate), "One helper completes a call.");
        if (!_isOpen || _underWay > 0 || (_next < _end && !_stops)) return false;
        _isOpen = false;
        return true;
    }

    // The parts behind the one that failed: they are not handled again.
    private void KeepAhead()
    {
        for (int i = _passed + 1; i < _taken; i++)
        {
            Part part = _parts[i];
            _parts[i].Fault = null;
            if (part.Reached == part.First) continue;
            if (_ahead.Count > 0 && _ahead[^1].End == part.First)
                _ahead[^1] = _ahead[^1] with { End = part.Reached, Dropped = _ahead[^1].Dropped + part.Dropped };
            else
                _ahead.Add(new DoneAhead(part.First, part.Reached, part.Dropped));
        }
    }

    // The item that failed, and those that were called with it, by themselves: the policy finds out which it is. Nothing is split
    // before the stage has come past what was done behind it.
    private bool CallBehindFault(long first, int count, Dispatch dispatch)
    {
        if (_ahead.Count > 0)
        {
            DoneAhead done = _ahead[0];
            if (done.First <= first)
            {
                _stage.Reached = _stage.CallEnd = Math.Min(done.End, first + count);
                int dropped = (int)Math.Min(done.Dropped, _stage.Reached - first);
                CountDropped(dropped);
                if (_stage.Reached == done.End) _ahead.RemoveAt(0);
                else _ahead[0] = done with { Dropped = done.Dropped - dropped };
                return true;
            }

            count = (int)Math.Min(count, done.First - first);
        }

        if (first < _together) count = (int)Math.Min(count, _together - first);
        return _stage.Invoke(first, count, dispatch);
    }

    private void CountDropped(int dropped)
    {
        if (dropped == 0) return;
        _stage.State.Dropped += dropped;
        _stage.Counters.Add(Counter.Skipped, dropped);
        _stage.Counters.Add(Counter.Dropped, dropped);
    }

    // Large enough that the wait for its last part does not matter, and half of the ring at most: the rest is for the other stages.
    private void SetMost()
    {
        int half = _stage.Ring.Capacity / 2;
        bool isLarge = _gauge.IsOpen && half * _gauge.Cost >= SplitGauge.Worth;
        double most = Math.Max(LeastOfThread, s_callOfThread / _gauge.Cost) * _helpers.Length;
        _mostApart = isLarge ? (int)Math.Min(half, most) : 1;
    }
}
