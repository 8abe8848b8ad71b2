namespace Raceway.Rings;

/// <content>What a stage does when its handler returns that not all of the batch is done, and how it goes on later.</content>
public abstract partial class Stage
{
    // A handler that consumes nothing is asked again after so long at the latest: often enough to notice that what it waits
    // for outside has come, seldom enough to cost nothing.
    private static readonly TimeSpan s_rest = TimeSpan.FromMilliseconds(1);

    private BatchOutcome _returned;

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
            if (outcome.Kind == OutcomeKind.DeadLetter && _options.OnFault.WithSink is null) throw Throw.NoSink(Name);
            _returned = outcome;
            return false;
        }

        Reached = first + count;
        Done.Advance(Reached - 1);
        return true;
    }

    // The call has not ended with everything done: its handler awaits, or has said what is left.
    private StepResult OnOpenCall(long first, int count)
    {
        if (_returned.Kind != OutcomeKind.Done) return OnOutcome(first, count);
        _at.Running = count;
        return StepResult.Pending;
    }

    // As after a fault: what is done is published before anything else happens, and what is left is owed.
    private StepResult OnOutcome(long first, int count)
    {
        BatchOutcome outcome = _returned;
        _returned = default;
        _at.Running = 0;
        // A stop leaves what is not marked; everything else says how many are done.
        long at = outcome.Kind == OutcomeKind.Stop ? Reached : first + outcome.Index;
        bool moved = at > first;
        Reached = at;
        StepResult settled = Settle(first, more: true);
        if (moved) Done.Advance(at - 1);
        _at.OwedThrough = Math.Max(_at.OwedThrough, first + count - 1);
        switch (outcome.Kind)
        {
            case OutcomeKind.Consumed:
                return Rest(settled, moved, alone: _at.Seen == first + count - 1);
            case OutcomeKind.Skip:
                return PassOver(at, settled);
            case OutcomeKind.RetryFrom:
                CountAttempt(at);
                return RetryLater(outcome.Delay);
            case OutcomeKind.DeadLetter:
                CountAttempt(at);
                return Act(outcome.Cause ?? Throw.Returned(Name, outcome), at, _options.OnFault.WithSink!, decides: false, settled);
            default:
                return Act(outcome.Cause ?? Throw.Returned(Name, outcome), at, FaultPolicy.Stop, decides: false, settled);
        }
    }

    // What is left is offered again with what has come meanwhile: at once where some was consumed, else when more has come
    // that can join it, after a rest at the latest.
    private StepResult Rest(StepResult settled, bool moved, bool alone)
    {
        _at.RestsFor = Progress.Never;
        if (moved)
        {
            // Due already: it begins with a look.
            _at.NotBefore = 1;
            return settled with { More = true };
        }

        // Nothing joins what was cut off, or is followed by a given-up claim: there is nothing to be woken by but time.
        long next = _at.Seen + 1;
        if (alone && !(_sequencer.HasTombstones && _sequencer.Availability!.IsTombstone(next))) _at.RestsFor = next;
        _at.NotBefore = Clock.In(s_rest);
        return StepResult.Pending;
    }

    /// <summary>Goes on with what was pending; false where there is nothing more to do in this step.</summary>
    private bool Resume(out StepResult result)
    {
        result = StepResult.Pending;
        if (_at.NotBefore != 0)
        {
            bool more = _at.AwaitsMore && ReadUpstream(_at.RestsFor) >= _at.RestsFor;
            if (!more && Clock.Now < _at.NotBefore) return false;
            _at.NotBefore = 0;
            if (_at.RestsFor == 0) return true;
            _at.RestsFor = 0;
            Look(Volatile.Read(ref _dispatch));
            return true;
        }

        long first = _at.Next;
        int count = _at.Running;
        try
        {
            if (!TryFinish()) return false;
        }
        catch (Exception fault)
        {
            result = OnFault(fault, first, count);
            return false;
        }

        if (_returned.Kind != OutcomeKind.Done)
        {
            result = OnOutcome(first, count);
            return false;
        }

        _at.Running = 0;
        result = Settle(first, more: _at.Seen >= Reached);
        return false;
    }
}
