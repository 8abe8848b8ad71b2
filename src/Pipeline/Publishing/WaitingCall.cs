using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>A call in a publisher's line: a call that waits for its turn.</summary>
/// <remarks>Everything here belongs to the gate of its line while it stands there.</remarks>
internal abstract class WaitingCall<T> : PooledCompletion<bool>
{
    internal WaitingCall<T>? Before;
    internal WaitingCall<T>? Behind;

    internal PublishingLine<T>? Line;
    internal Standing Standing;

    /// <summary>Cancelled while it was being served.</summary>
    internal bool IsCancelled;
}

/// <summary>Where a call is.</summary>
internal enum Standing
{
    /// <summary>Not in the line.</summary>
    Out,

    /// <summary>In the line.</summary>
    Waits,

    /// <summary>In the line, and being served: it cannot be taken out.</summary>
    Served,

    /// <summary>A thread's turn has come, and the thread has not.</summary>
    Called,
}

/// <summary>A thread that is asleep until its turn comes; then it publishes by itself.</summary>
internal sealed class Turn<T> : WaitingCall<T>
{
    private readonly ParkWaiter _thread = new();
    private readonly Alarms _alarms;

    public Turn() => _alarms = new Alarms(_thread.Wake);

    /// <summary>Wakes the thread: its turn has come.</summary>
    public void Call() => _thread.Signal();

    /// <summary>Sleeps until it is called; false where the time was up before.</summary>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    /// <exception cref="ThreadInterruptedException">Interrupted.</exception>
    public bool Wait(Clock clock, long deadline, CancellationToken cancellation)
    {
        CancellationTokenRegistration registration =
            cancellation.UnsafeRegister(static thread => ((ParkWaiter)thread!).Wake(), _thread);
        try
        {
            while (true)
            {
                cancellation.ThrowIfCancellationRequested();
                int left = _alarms.SleepUntil(clock, deadline);
                // What is left is rounded down.
                if (_thread.Park(left == 0 ? 1 : left, interruptible: true)) return true;
                if (deadline != Clock.Never && clock.Now >= deadline) return false;
            }
        }
        finally
        {
            registration.Dispose();
            _alarms.Clear();
            _thread.ForgetWake();
        }
    }

    /// <summary>Forgets a call that came when it had given up.</summary>
    public void Forget() => _thread.Park(0, interruptible: false);

    protected override void Release()
    {
    }
}

/// <summary>A call without a thread: the thread that finds the room does what it asked for.</summary>
internal abstract class Deferred<T> : WaitingCall<T>
{
    private CancellationToken _cancellation;
    private CancellationTokenRegistration _registration;
    private Exception? _failure;
    private bool _result;

    /// <summary>Does it, where there is room; false where there is none.</summary>
    public bool Serve(Producer<T> producer)
    {
        try
        {
            ClaimStatus status = Try(producer, out _result);
            if (status == ClaimStatus.Stopped) throw producer.Ring.Refusal();
            return status != ClaimStatus.Full;
        }
        catch (Exception failure)
        {
            _failure = failure;
            return true;
        }
    }

    /// <summary>Tells the caller, once it is out of the line. The last that is done with it.</summary>
    public void Complete()
    {
        RunContinuationsAsynchronously = true;
        if (IsCancelled) SetException(new OperationCanceledException(_cancellation));
        else if (_failure is { } failure) SetException(failure);
        else SetResult(_result);
    }

    /// <summary>Has it taken out of the line when <paramref name="cancellation"/> asks for it.</summary>
    public void CancelBy(CancellationToken cancellation)
    {
        _cancellation = cancellation;
        if (cancellation.CanBeCanceled)
            _registration = cancellation.UnsafeRegister(static call => ((Deferred<T>)call!).Line!.Cancel((Deferred<T>)call), this);
    }

    protected abstract ClaimStatus Try(Producer<T> producer, out bool result);

    /// <summary>Clears it for the next use.</summary>
    protected sealed override void Release()
    {
        // Waits for a callback under way: after this nothing else knows this object.
        _registration.Dispose();
        _registration = default;
        _cancellation = default;
        _failure = null;
        IsCancelled = false;
        Line = null;
        GiveBack();
    }

    protected abstract void GiveBack();
}

/// <summary>Publishes an item.</summary>
internal sealed class DeferredCopy<T> : Deferred<T>
{
    public T Item = default!;

    protected override ClaimStatus Try(Producer<T> producer, out bool result)
    {
        result = true;
        return producer.TryPublish(Item);
    }

    protected override void GiveBack()
    {
        Item = default!;
        Pool<DeferredCopy<T>>.Return(this);
    }
}

/// <summary>Publishes what a writer fills in.</summary>
internal sealed class DeferredWrite<T, TState> : Deferred<T>
{
    public TState State = default!;
    public SlotWriter<T, TState> Write = null!;

    protected override ClaimStatus Try(Producer<T> producer, out bool result)
    {
        result = true;
        return producer.TryPublish(State, Write);
    }

    protected override void GiveBack()
    {
        State = default!;
        Write = null!;
        Pool<DeferredWrite<T, TState>>.Return(this);
    }
}

/// <summary>Publishes several items, as there is room.</summary>
internal sealed class DeferredMany<T> : Deferred<T>
{
    public ReadOnlyMemory<T> Items;

    protected override ClaimStatus Try(Producer<T> producer, out bool result)
    {
        result = true;
        ReadOnlySpan<T> left = Items.Span;
        ClaimStatus status = producer.TryPublishSome(ref left);
        Items = Items[^left.Length..];
        return status;
    }

    protected override void GiveBack()
    {
        Items = default;
        Pool<DeferredMany<T>>.Return(this);
    }
}

/// <summary>Publishes nothing: its caller wants to know when there is room.</summary>
internal sealed class DeferredRoom<T> : Deferred<T>
{
    protected override ClaimStatus Try(Producer<T> producer, out bool result)
    {
        ClaimStatus status = default(Looking<T>).Try(producer);
        result = status == ClaimStatus.Done;
        return status == ClaimStatus.Stopped ? ClaimStatus.Done : status;
    }

    protected override void GiveBack() => Pool<DeferredRoom<T>>.Return(this);
}
