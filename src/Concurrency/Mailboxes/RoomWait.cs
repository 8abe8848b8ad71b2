using Raceway.Rings;

namespace Raceway.Concurrency;

/// <summary>A wait for a cell that holds no thread and allocates nothing: a waiter that completes a pooled source.</summary>
internal sealed class RoomWait : PooledCompletion<bool>
{
    private readonly Signalled _waiter;
    private Progress? _cell;
    private CancellationToken _cancellation;
    private CancellationTokenRegistration _registration;

    public RoomWait() => _waiter = new Signalled(this);

    /// <summary>Completes when <paramref name="target"/> is over, or is cancelled.</summary>
    public static ValueTask<bool> For(in WaitTarget target, CancellationToken cancellation)
    {
        RoomWait wait = Pool<RoomWait>.Rent();
        wait.RunContinuationsAsynchronously = true;
        wait._cell = target.Cell;
        wait._cancellation = cancellation;
        ValueTask<bool> task = wait.Task;
        target.Cell.Arm(wait._waiter, target.Awaited);
        if (target.IsOver && target.Cell.Disarm(wait._waiter)) wait.SetResult(true);
        else if (cancellation.CanBeCanceled)
            wait._registration = cancellation.UnsafeRegister(static one => ((RoomWait)one!).Cancel(), wait);
        return task;
    }

    protected override void Release()
    {
        // Waits for a callback under way: after this no other thread knows this object.
        _registration.Dispose();
        _registration = default;
        _cell = null;
        _cancellation = default;
        Pool<RoomWait>.Return(this);
    }

    // The waiter is completed by the call that takes it out of the cell: the signal, or this.
    private void Cancel()
    {
        if (_cell!.Disarm(_waiter)) SetException(new OperationCanceledException(_cancellation));
    }

    private sealed class Signalled(RoomWait wait) : Waiter
    {
        internal override void Signal() => wait.SetResult(true);
    }
}
