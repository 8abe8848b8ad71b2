namespace Raceway.Rings;

/// <summary>Waits for a cell without a thread: completes a task when signalled.</summary>
internal sealed class AsyncWaiter : Waiter
{
    private readonly TaskCompletionSource _signal = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Completes when signalled.</summary>
    public Task Signalled => _signal.Task;

    internal override void Signal() => _signal.TrySetResult();

    /// <summary>Waits until <paramref name="target"/> is over, its deadline, or cancellation.</summary>
    public static async Task WaitForAsync(WaitTarget target, CancellationToken cancellation = default)
    {
        if (target.IsOver) return;
        var waiter = new AsyncWaiter();
        target.Cell.Arm(waiter, target.Awaited);
        if (target.IsOver && target.Cell.Disarm(waiter)) return;
        try
        {
            int milliseconds = Clock.MillisecondsUntil(target.Deadline);
            await waiter.Signalled.WaitAsync(TimeSpan.FromMilliseconds(milliseconds), cancellation)
                .ConfigureAwait(false);
        }
        catch (TimeoutException)
        {
            // The deadline: the caller looks at its clock.
        }
        finally
        {
            target.Cell.Disarm(waiter);
            target.Cell.LeaveParkingRegime();
        }
    }
}
