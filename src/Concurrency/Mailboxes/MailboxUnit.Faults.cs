using System.Runtime.CompilerServices;
using Raceway.Rings;

namespace Raceway.Concurrency;

/// <content>What a mailbox does when its handler throws.</content>
internal sealed partial class MailboxUnit<T>
{
    private long _failedThrough = -1;
    private long _attemptAt = -1;
    private int _attempt;
    private long _notBefore;

    [MethodImpl(MethodImplOptions.NoInlining)]
    private StepResult OnFault(Exception fault, int done, int count, bool more)
    {
        StepResult settled = Settle(done, more: true);
        long failed = _queue.Position;
        if (fault is OperationCanceledException && _control.IsHalted) return StepResult.Stopped;

        Counters.Add(Counter.Faults);
        FaultPolicy policy = _options.OnFault;
        if (!_receiver.FaultIsExact && count - done > 1 && (policy.Action != FaultAction.Stop || policy.Target is not null))
        {
            // Which of the messages has failed is unknown. Halves of the call find it.
            _failedThrough = failed + count - done - 1;
            return settled;
        }

        if (_attemptAt != failed) _attempt = 0;
        _attemptAt = failed;
        _attempt++;
        if (policy.Action == FaultAction.Retry)
        {
            if (_attempt <= policy.Retries) return RetryLater(Doubled(policy.Backoff, _attempt - 1), settled);
            policy = policy.Then!;
        }

        return Act(fault, failed, policy, settled);
    }

    private StepResult Act(Exception fault, long failed, FaultPolicy policy, StepResult settled)
    {
        var context = new FaultContext(fault, _options.Name, failed, _attempt);
        object? outer = Reentrancy.Enter(_mailbox);
        try
        {
            ref T message = ref _queue.Peek(1, out _)[0];
            FaultAction action = policy is { Action: FaultAction.Stop, Target: FaultDecider<T> decider }
                ? decider(ref message, context)
                : policy.Action;
            switch (action)
            {
                case FaultAction.Stop:
                    _mailbox.Fail(fault);
                    return StepResult.Stopped;
                case FaultAction.Retry:
                    return RetryLater(policy.Backoff, settled);
                case FaultAction.DeadLetter when policy.Target is DeadLetterAction<T> sink:
                    sink(ref message, context);
                    Counters.Add(Counter.DeadLettered);
                    break;
                case FaultAction.Skip:
                    break;
                default:
                    throw MailboxErrors.DeciderAnswer(action);
            }
        }
        catch (Exception second)
        {
            _mailbox.Fail(second);
            return StepResult.Stopped;
        }
        finally
        {
            Reentrancy.Exit(outer);
        }

        Counters.Add(Counter.Skipped);
        _mailbox.Requests.FailAt(failed, fault);
        _queue.Release(1);
        // What failed together with it may be good without it: it is offered whole.
        _failedThrough = failed;
        return settled;
    }

    private static TimeSpan Doubled(TimeSpan backoff, int times) =>
        backoff.Ticks >= TimeSpan.TicksPerHour
            ? backoff
            : TimeSpan.FromTicks(Math.Min(backoff.Ticks << Math.Min(times, 20), TimeSpan.TicksPerHour));

    private StepResult RetryLater(TimeSpan backoff, StepResult settled)
    {
        Counters.Add(Counter.Retries);
        if (backoff <= TimeSpan.Zero) return settled;
        _notBefore = _mailbox.Clock.In(backoff);
        return StepResult.Pending;
    }
}
