using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Raceway.Rings;

/// <summary>
/// What a stage does when its handler throws, or returns that not all of its batch is done: by the stage's policy, attempt
/// by attempt.
/// </summary>
/// <remarks>
/// What is completed is published before anything else is decided, and what is left is owed. The thread that steps the
/// stage calls it.
/// </remarks>
internal sealed class StageFaults(Stage stage, Ring ring, FaultPolicy policy)
{
    // A handler that consumes nothing is asked again after so long at the latest: often enough to notice that what it waits
    // for outside has come, seldom enough to cost nothing.
    private static readonly TimeSpan s_rest = TimeSpan.FromMilliseconds(1);

    private long _item = -1;
    private int _attempt;

    /// <summary>The handler threw <paramref name="fault"/> in a step of <paramref name="count"/> items.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public StepResult OnThrown(Exception fault, long first, int count)
    {
        ref LoopState at = ref stage.State;
        long failed = stage.Reached;
        long last = first + count - 1;
        Debug.Assert(failed >= first && failed <= last + 1, "A call fails within the items of its step.");
        StepResult settled = stage.SettlePart(first);
        if (fault is RevokedException || (fault is OperationCanceledException && ring.Control.IsHalted)) return StepResult.Stopped;

        stage.Counters.Add(Counter.Faults);
        at.Closer.Owe(last);
        if (failed >= stage.CallEnd) return OnThrownAfterAll(fault, settled);
        CountAttempt(failed);
        bool isExact = stage.FaultIsExact || failed == stage.CallEnd - 1;
        // The whole batch has been retried. Its parts only tell which item fails.
        bool isPart = !isExact && failed <= at.FailedThrough;
        FaultPolicy by = policy;
        if (policy.Action == FaultAction.Retry)
        {
            if (!isPart && _attempt <= policy.Retries) return Retry(Doubled(policy.Backoff, _attempt - 1));
            by = policy.Then!;
        }

        bool needsItem = IsDecider(by) || by.Action is FaultAction.Skip or FaultAction.DeadLetter;
        if (isExact || !needsItem) return Act(fault, failed, by, settled);
        // Which of the items has failed is unknown. Halves of the call find it, and only then its own attempts are counted.
        at.FailedThrough = stage.CallEnd - 1;
        _attempt = 0;
        return settled;
    }

    /// <summary>The handler returned <paramref name="outcome"/> of a call in a step of <paramref name="count"/> items.</summary>
    /// <param name="outcome">What it returned.</param>
    /// <param name="callFirst">The first item of that call.</param>
    /// <param name="first">The first item of the step.</param>
    /// <param name="count">Items of the step.</param>
    public StepResult OnReturned(in BatchOutcome outcome, long callFirst, long first, int count)
    {
        // A stop leaves what is not marked; everything else says how many items of its call are done.
        if (outcome.Kind != OutcomeKind.Stop) stage.Reached = callFirst + outcome.Index;
        long item = stage.Reached;
        StepResult settled = stage.SettlePart(first);
        stage.State.Closer.Owe(first + count - 1);
        switch (outcome.Kind)
        {
            case OutcomeKind.Consumed:
                return Rest(settled, consumed: item > callFirst);
            case OutcomeKind.Skip:
                return PassOver(item, settled);
            case OutcomeKind.RetryFrom:
                CountAttempt(item);
                return Retry(outcome.Delay);
        }

        bool isDeadLetter = outcome.Kind == OutcomeKind.DeadLetter;
        if (isDeadLetter) CountAttempt(item);
        Exception cause = outcome.Cause ?? StageErrors.Returned(stage.Name, outcome);
        return Act(cause, item, isDeadLetter ? policy.WithSink! : FaultPolicy.Stop, settled);
    }

    // All that the call was given was marked before it threw: nothing is left to retry or to pass over.
    private StepResult OnThrownAfterAll(Exception fault, StepResult settled)
    {
        if (policy.Action == FaultAction.Detach) ring.DetachFaulted(stage, fault);
        else if (policy.Action == FaultAction.Stop) ring.Fail(fault, stage);
        else return settled with { More = stage.State.Seen >= stage.State.Next };
        return StepResult.Stopped;
    }

    private StepResult Act(Exception fault, long failed, FaultPolicy by, StepResult settled)
    {
        var context = new FaultContext(fault, stage.Name, failed, _attempt);
        // A decider or a sink must not wait for what only its stage can bring, as a handler must not.
        object? outer = Reentrancy.Enter(ring.Family);
        try
        {
            bool decides = IsDecider(by);
            FaultAction action = decides ? stage.Decide(by.Target!, failed, context) : by.Action;
            switch (action)
            {
                case FaultAction.Retry:
                    return Retry(by.Backoff);
                case FaultAction.Detach:
                    ring.DetachFaulted(stage, fault);
                    return StepResult.Stopped;
                case FaultAction.Stop:
                    ring.Fail(fault, stage);
                    return StepResult.Stopped;
                case FaultAction.DeadLetter when !decides:
                    stage.DeadLetter(by.Target!, failed, context);
                    stage.Counters.Add(Counter.DeadLettered);
                    break;
                case FaultAction.Skip:
                    break;
                default:
                    throw StageErrors.DeciderAnswer(action);
            }
        }
        catch (Exception second)
        {
            // The policy itself failed: that never passes over an item.
            ring.Fail(new AggregateException(fault, second), stage);
            return StepResult.Stopped;
        }
        finally
        {
            Reentrancy.Exit(outer);
        }

        return PassOver(failed, settled);
    }

    private StepResult PassOver(long item, StepResult settled)
    {
        stage.PassOver(item);
        // What failed together with it may be good without it: it is offered whole.
        stage.State.FailedThrough = item;
        return settled with { More = stage.State.Seen >= stage.State.Next };
    }

    private StepResult Retry(TimeSpan delay)
    {
        stage.Counters.Add(Counter.Retries);
        if (delay <= TimeSpan.Zero) return new StepResult(StepKind.Progressed, 0, More: true);
        stage.State.Pause = new LoopPause(PauseKind.Retry, ring.Clock.In(delay));
        return StepResult.Pending;
    }

    // The rest is offered again with what has come meanwhile: at once if some was consumed, else when more has come that can
    // join it, after a while at the latest.
    private StepResult Rest(StepResult settled, bool consumed)
    {
        ref LoopState at = ref stage.State;
        if (consumed)
        {
            at.Pause = new LoopPause(PauseKind.Look, ring.Clock.Now);
            return settled;
        }

        // Nothing joins what was cut off, or is followed by a claim that was given up: then time alone ends the rest.
        long next = at.Seen + 1;
        bool canJoin = stage.CallEnd == next && !ring.Sequencer.IsTombstone(next);
        at.Pause = new LoopPause(PauseKind.Rest, ring.Clock.In(s_rest), canJoin ? next : null);
        return StepResult.Pending;
    }

    private void CountAttempt(long item)
    {
        if (_item != item) _attempt = 0;
        _item = item;
        _attempt++;
    }

    private static bool IsDecider(FaultPolicy policy) => policy.Target is not null && policy.Action == FaultAction.Stop;

    private static TimeSpan Doubled(TimeSpan backoff, int times) =>
        backoff.Ticks >= TimeSpan.TicksPerHour
            ? backoff
            : TimeSpan.FromTicks(Math.Min(backoff.Ticks << Math.Min(times, 20), TimeSpan.TicksPerHour));
}
