using System.Runtime.CompilerServices;

namespace Raceway.Rings;

/// <content>What a stage does when its handler throws, and how its handler starts and ends.</content>
public abstract partial class Stage
{
    private bool _began;

    /// <summary>The first item of the current call that it has not completed. Owner thread.</summary>
    internal long FirstUnmarked => Reached;

    /// <summary>Whether the item at <see cref="Reached"/> is known to be the one that failed.</summary>
    private protected bool FaultIsExact { get; set; }

    /// <summary>Asks a typed decider about the item at <paramref name="sequence"/>.</summary>
    private protected abstract FaultAction Decide(Delegate decider, long sequence, in FaultContext context);

    /// <summary>Hands the item at <paramref name="sequence"/> to a typed dead-letter sink.</summary>
    private protected abstract void DeadLetter(Delegate sink, long sequence, in FaultContext context);

    /// <summary>Whether it is pending until a retry is due.</summary>
    internal bool WaitsForTime => _at.NotBefore != 0;

    /// <summary>See <see cref="Batch{T}.FailAt"/>.</summary>
    internal void FailAt(long sequence)
    {
        Mark(sequence);
        // Where the handler has marked the item itself, nobody knows which one it is about.
        FaultIsExact |= Reached == sequence;
    }

    internal override void Begin()
    {
        CallHook<IStageLifetime>(static lifetime => lifetime.OnStart());
        _began = true;
    }

    internal override void End()
    {
        try
        {
            if (!_began) return;
            _began = false;
            CallHook<IStageLifetime>(static lifetime => lifetime.OnStop());
        }
        finally
        {
            HasEnded = true;
        }
    }

    // A hook is a call of the handler as well: it must not wait for the room or the end that only its stage can bring.
    private void CallHook<THook>(Action<THook> call)
    {
        object handler = Handler;
        if (handler is not THook hook) return;
        object? outer = Reentrancy.Enter(_ring.Family);
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

    [MethodImpl(MethodImplOptions.NoInlining)]
    private StepResult OnFault(Exception fault, long first, int count)
    {
        _at.Running = 0;
        long failed = Reached;
        long last = first + count - 1;
        bool exact = FaultIsExact || failed >= last;

        // What is completed is published before anybody is asked.
        Reached = failed;
        StepResult settled = Settle(first, more: true);
        if (failed > first) Done.Advance(failed - 1);
        if (fault is OperationCanceledException && _ring.Control.IsHalted) return StepResult.Stopped;

        Counters.Add(Counter.Faults);
        if (failed >= CallEnd) return OnFaultAfterAll(fault, settled);
        CountAttempt(failed);
        _at.OwedThrough = Math.Max(_at.OwedThrough, last);

        FaultPolicy policy = _options.OnFault;
        if (policy.Action == FaultAction.Retry)
        {
            if (_at.Attempt <= policy.Retries) return RetryLater(Doubled(policy.Backoff, _at.Attempt - 1));
            policy = policy.Then!;
        }

        bool decides = policy.Target is not null && policy.Action == FaultAction.Stop;
        if (!exact && (decides || policy.Action is FaultAction.Skip or FaultAction.DeadLetter))
        {
            // Somebody in the batch failed: run it again one by one, and the one that fails is known.
            _at.IsolateThrough = last;
            return settled with { More = true };
        }

        return Act(fault, failed, policy, decides, settled);
    }

    // Everything that the call was given was marked as done before it threw: nothing is left to retry or to pass over.
    private StepResult OnFaultAfterAll(Exception fault, StepResult settled)
    {
        FaultPolicy policy = _options.OnFault;
        if (policy.Action == FaultAction.Detach) _ring.DetachFaulted(this, fault);
        else if (policy.Action == FaultAction.Stop) _ring.Fail(fault, this);
        else return settled with { More = _at.Seen >= _at.Next };
        return StepResult.Stopped;
    }

    private static TimeSpan Doubled(TimeSpan backoff, int times) =>
        backoff.Ticks >= TimeSpan.TicksPerHour
            ? backoff
            : TimeSpan.FromTicks(Math.Min(backoff.Ticks << Math.Min(times, 20), TimeSpan.TicksPerHour));

    private StepResult Act(Exception fault, long failed, FaultPolicy policy, bool decides, StepResult settled)
    {
        var context = new FaultContext(fault, Name, failed, _at.Attempt);
        try
        {
            FaultAction action = decides ? Decide(policy.Target!, failed, context) : policy.Action;
            switch (action)
            {
                case FaultAction.Retry:
                    return RetryLater(policy.Backoff);
                case FaultAction.Detach:
                    _ring.DetachFaulted(this, fault);
                    return StepResult.Stopped;
                case FaultAction.Stop:
                    _ring.Fail(fault, this);
                    return StepResult.Stopped;
                case FaultAction.DeadLetter when !decides:
                    DeadLetter(policy.Target!, failed, context);
                    Counters.Add(Counter.DeadLettered);
                    break;
                case FaultAction.Skip:
                    break;
                default:
                    throw Throw.DeciderAnswer(action);
            }
        }
        catch (Exception second)
        {
            // The policy itself failed: that never passes over an item.
            _ring.Fail(new AggregateException(fault, second), this);
            return StepResult.Stopped;
        }

        return PassOver(failed, settled);
    }

    private StepResult PassOver(long failed, StepResult settled)
    {
        Counters.Add(Counter.Skipped);
        _at.Next = Reached = failed + 1;
        Done.Advance(failed);
        return settled with { More = _at.Seen >= _at.Next };
    }

    private void CountAttempt(long failed)
    {
        if (_at.AttemptAt != failed) _at.Attempt = 0;
        _at.AttemptAt = failed;
        _at.Attempt++;
    }

    private StepResult RetryLater(TimeSpan backoff)
    {
        Counters.Add(Counter.Retries);
        if (backoff <= TimeSpan.Zero) return new StepResult(StepKind.Progressed, 0, More: true);
        _at.NotBefore = Clock.In(backoff);
        return StepResult.Pending;
    }
}
