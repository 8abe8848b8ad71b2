using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Raceway.Rings;

/// <content>The loop, one step of it.</content>
public abstract partial class Stage
{
    // A step: look (upstream, if what is known is less than a batch), close a batch by the limits, call the handler, which
    // reports progress as it goes, and settle: report the last of it. Nothing here waits: the driver does, for what NextTarget
    // says. Why no item is lost or handled twice: Next moves to Reached and nowhere else, and Reached moves only over items that
    // the handler has completed or dropped, that a policy passes over, or that were given up by their producer. Done is never
    // ahead of Reached.

    private readonly SequenceBarrier _barrier;
    private readonly StageFaults _faults;
    private readonly IdleWatch? _watch;
    private LoopState _at;
    private BatchOutcome _returned;
    private long _returnedFor;

    /// <summary>A step without the checks of <see cref="Step"/>: for the one driver of the stage.</summary>
    internal override StepResult StepOnce(int quantum = int.MaxValue)
    {
        long word = Ring.Control.Word;
        _at.ControlSeen = word;
        bool ends = (word & Control.Halted) != 0 || IsLeaving;
        // A handler that still runs keeps its slots, whatever the state: the stage ends when it has completed.
        if (ends && (_at.Pause.Kind != PauseKind.Call || IsAbandoned)) return StepResult.Stopped;
        if (_at.Pause.Kind != PauseKind.None && !Resume(out StepResult resumed)) return resumed;

        Dispatch dispatch = Volatile.Read(ref _dispatch);
        long known = _at.Seen - _at.Next + 1;
        if (known < dispatch.Min && (known = Look(dispatch)) <= 0) return StepResult.Idle;
        int count = Close(dispatch, known, quantum, out Exception? unweighed);
        return count > 0 ? Run(count, dispatch) : OnUnweighed(unweighed!);
    }

    /// <summary>Looks upstream once. Returns how many items to close a batch from, or 0: wait.</summary>
    private long Look(Dispatch dispatch)
    {
        // From behind what is known: lanes are merged only for a stage that has used up what there was.
        long left = _at.Seen;
        long seen = _barrier.ReadableEnd(left + 1);
        bool cut = _sequencer.HasTombstones && PassTombstones(ref seen);
        Debug.Assert(seen >= left, "What was readable stays so.");
        if (seen > left) _at.Closer.Found(left, _clock);
        _at.Seen = seen;
        long known = seen - _at.Next + 1;
        if (known < dispatch.Min && !ClosesShort(dispatch, known, cut))
        {
            _at.FoundNothing = true;
            return 0;
        }

        if (_at.FoundNothing)
        {
            // What follows is the handler's time, also if this look has found what the last poll of the wait did not.
            _at.FoundNothing = false;
            _attendance?.Waiting.Stalls.Work();
        }

        // Only what stays behind for a later batch can have an age worth knowing.
        if (known >= dispatch.Min) _at.Closer.Enough(stays: dispatch.HasMaxWeight || known > MostOf(dispatch), _clock);
        return known;
    }

    /// <summary>How many of the items that are known the next call is given; 0 if the first of them cannot be weighed.</summary>
    private int Close(Dispatch dispatch, long known, int quantum, out Exception? unweighed)
    {
        unweighed = null;
        bool byWeight = false;
        int limit = Math.Max(MostOf(dispatch), Split?.Most ?? 1);
        int most = _oneCallAStep ? Math.Min(quantum, dispatch.CallSize) : quantum;
        if (_isCut || dispatch.HasMaxWeight)
            most = Math.Min(most, MostFrom(_at.Next, Math.Min(known, quantum), dispatch, out byWeight, out unweighed));
        if (most == 0) return 0;
        // What counted for the minimum together is not held back by it afterwards.
        if (most < limit) _at.Closer.Owe(_at.Next + Math.Min(known, limit) - 1);
        most = Math.Min(most, limit);
        if (_at.Next <= _at.FailedThrough) most = (int)Math.Min(most, (_at.FailedThrough - _at.Next) / 2 + 1);
        bool more = known > most;
        _at.Depth = known;
        _at.Reason = !more ? _at.Closer.ShortReason
            : byWeight ? CloseReason.Weight
            : most < limit ? CloseReason.Cut : CloseReason.Full;
        return more ? most : (int)known;
    }

    private StepResult Run(int count, Dispatch dispatch)
    {
        long first = _at.Next;
        Debug.Assert(count > 0 && first + count - 1 <= _at.Seen, "A batch lies within what is published.");
        Reached = first;
        object? outer = Reentrancy.Enter(Ring.Family);
        try
        {
            if (!(Split is null ? Invoke(first, count, dispatch) : Split.Call(first, count, dispatch))) return OnOpenCall(first, count);
        }
        catch (Exception fault)
        {
            return _faults.OnThrown(fault, first, count);
        }
        finally
        {
            Reentrancy.Exit(outer);
        }

        return Settle(first, ends: true);
    }

    private StepResult Settle(long first, bool ends)
    {
        long reached = Reached;
        Debug.Assert(reached >= first, "A call that has begun at an item cannot have completed less.");
        Debug.Assert(Done.ReadAcquire() < reached, "No progress is reported that the handler has not made.");
        _at.Report(Done, reached - 1, ends);
        int handled = (int)(reached - first) - _at.Dropped;
        Debug.Assert(handled >= 0 && reached - 1 <= _at.Seen, "What is completed was dropped or handled, and published before.");
        bool more = _at.Seen >= reached;
        _at.Dropped = 0;
        _at.Next = reached;
        _at.Closer.Settle(reached, more);
        _watch?.EndIdle();
        if (handled > 0) Counters.AddBatch(handled, _at.Reason);
        return new StepResult(StepKind.Progressed, handled, more);
    }

    /// <summary>A snapshot: what its open call waits for, the handler's own task or room; null if there is none, or it has completed.</summary>
    internal Stall? OpenCallFor =>
        Volatile.Read(ref _at.OpenCall) != 0 && Completion is var (cell, awaited, _) && !cell.IsReached(awaited) ? PendingFor : null;

    /// <summary>What the driver waits for after a step that found nothing to do.</summary>
    internal override WaitTarget NextTarget()
    {
        LoopPause pause = _at.Pause;
        if (pause.Kind == PauseKind.Call)
        {
            (Progress completions, long lease, long due) = Completion;
            return new WaitTarget(completions, lease, due, Ring.Control, _at.ControlSeen) { Clock = _clock, Stall = PendingFor };
        }

        if (pause.EndsByTime && pause.Joins is null)
        {
            return new WaitTarget(Done, Progress.Never, pause.Until, Ring.Control, _at.ControlSeen) { Clock = _clock, Stall = Stall.Own };
        }

        Dispatch dispatch = Dispatch;
        bool closing = (_at.ControlSeen & Control.Closed) != 0;
        bool ages = dispatch.MaxAgeTicks != long.MaxValue && _at.Seen < _at.Next;
        // Below the minimum one item is enough if no more may come, if its age has yet to begin, and if a producer waits for
        // the room that it holds.
        long wanted = closing || ages || Ring.HasBlockedProducers ? _at.Next : _at.Next + dispatch.Min - 1;
        (Progress cell, long awaited) = _barrier.TargetOf(_at.Next, pause.Joins ?? wanted);
        long deadline = pause.EndsByTime ? pause.Until : _at.Closer.Deadline;
        return new WaitTarget(cell, awaited, deadline, Ring.Control, _at.ControlSeen) { Clock = _clock };
    }

    // Fewer than the minimum: close all the same, or say until when to wait.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool ClosesShort(Dispatch dispatch, long known, bool cut)
    {
        _at.Closer.Deadline = Clock.Never;
        if (known > 0)
        {
            // Nothing joins a batch behind a claim that was given up.
            bool cannotGrow = cut || _at.Next <= _at.Closer.OwedThrough || Ring.HasBlockedProducers;
            return _at.Closer.ClosesShort(dispatch, cannotGrow, closing: (_at.ControlSeen & Control.Closed) != 0, _clock);
        }

        try
        {
            // Nothing to do: the time to take released slots back, as the producers may be idle too.
            _sequencer.Sweeper?.SweepThrough(_sequencer.ReleasedThrough());
            bool isIdle = false;
            if (_watch is not null) _at.Closer.Deadline = _watch.Look(_at.Next, out isIdle);
            if (isIdle) CallHook<IIdleHandler>(static idle => idle.OnIdle());
        }
        catch (Exception fault)
        {
            Ring.Fail(fault, this);
        }

        return false;
    }

    // Moves over claims that were given up; true if another one follows what is readable.
    private bool PassTombstones(ref long seen)
    {
        long next = _at.Next;
        seen = _barrier.PassTombstones(ref next, seen, out bool cut);
        if (next == _at.Next) return cut;
        Counters.Add(Counter.Tombstones, next - _at.Next);
        _at.Next = Reached = next;
        Done.Advance(next - 1);
        return cut;
    }

    // As if its handler had thrown at that item alone.
    private StepResult OnUnweighed(Exception fault)
    {
        Reached = _at.Next;
        CallEnd = _at.Next + 1;
        return _faults.OnThrown(fault, _at.Next, 1);
    }

    /// <summary>
    /// Takes what the handler has returned for <paramref name="count"/> items from <paramref name="first"/> on. True: all of
    /// them are done; else the step goes on with what it asks for.
    /// </summary>
    /// <exception cref="InvalidOperationException">It cannot be done: a fault of the handler.</exception>
    private protected bool Take(in BatchOutcome outcome, long first, int count)
    {
        if (outcome.Leaves(count))
        {
            outcome.Check(Name, (int)(Reached - first), count);
            if (outcome.Kind == OutcomeKind.DeadLetter && Options.OnFault?.WithSink is null) throw StageErrors.NoSink(Name);
            _returned = outcome;
            _returnedFor = first;
            return false;
        }

        Reached = first + count;
        return true;
    }

    // The call has not ended with everything done: its handler awaits, or has said what is left.
    private StepResult OnOpenCall(long first, int count)
    {
        if (_returned.Kind != OutcomeKind.Done) return OnReturned(first, count);
        Debug.Assert(_at.Pause.Kind == PauseKind.None, "There is one call at a time.");
        Volatile.Write(ref _at.OpenCall, count);
        _at.Pause = new LoopPause(PauseKind.Call);
        return StepResult.Pending;
    }

    /// <summary>Goes on after a pause; false if there is nothing more to do in this step.</summary>
    private bool Resume(out StepResult result)
    {
        result = StepResult.Pending;
        LoopPause pause = _at.Pause;
        if (pause.Kind == PauseKind.Call)
        {
            result = FinishCall(_at.Next, _at.OpenCall);
            return false;
        }

        if (!pause.IsOver(_barrier, _clock)) return false;
        _at.Pause = default;
        if (pause.Kind != PauseKind.Retry) Look(Volatile.Read(ref _dispatch));
        return true;
    }

    private StepResult FinishCall(long first, int count)
    {
        try
        {
            if (!TryFinish()) return StepResult.Pending;
        }
        catch (Exception fault)
        {
            return _faults.OnThrown(fault, first, count);
        }

        if (_returned.Kind != OutcomeKind.Done) return OnReturned(first, count);
        EndPause();
        return Settle(first, ends: true);
    }

    private StepResult OnReturned(long first, int count)
    {
        BatchOutcome outcome = _returned;
        _returned = default;
        return _faults.OnReturned(outcome, _returnedFor, first, count);
    }

    /// <summary>Settles a call that has not completed all: what it has completed is published before anything else is decided.</summary>
    internal StepResult SettlePart(long first)
    {
        EndPause();
        return Settle(first, ends: false) with { More = true };
    }

    private void EndPause()
    {
        _at.Pause = default;
        Volatile.Write(ref _at.OpenCall, 0);
    }

    /// <summary>Moves behind <paramref name="item"/>, which is not handled.</summary>
    internal void PassOver(long item)
    {
        Debug.Assert(_at.Next == item, "A policy passes over the next item alone.");
        Counters.Add(Counter.Skipped);
        _at.Next = Reached = item + 1;
        Done.Advance(item);
    }
}
