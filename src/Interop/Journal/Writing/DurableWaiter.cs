namespace Raceway.Interop.Journal.Writing;

/// <summary>A call that waits for its turn to publish, or until a <see cref="DurableLine"/> reaches its target.</summary>
/// <remarks>Its caller goes on by the thread pool, never on the thread that completes it.</remarks>
internal abstract class DurableWaiter : PooledCompletion<bool>
{
    private CancellationTokenRegistration _registration;
    private IWaiters? _waiters;

    /// <summary>The position that it waits for.</summary>
    public long Target;

    /// <summary>Ends the wait.</summary>
    public CancellationToken Token;

    /// <summary>Its neighbours among those that wait.</summary>
    public DurableWaiter? Before;

    /// <inheritdoc cref="Before"/>
    public DurableWaiter? After;

    /// <summary>Whether it is among those that wait. Under their gate.</summary>
    public bool Waits;

    /// <summary>Lets the token end its wait. Under the gate: no other thread completes the call before it has its registration.</summary>
    public void Register(IWaiters waiters)
    {
        if (!Token.CanBeCanceled) return;
        _waiters = waiters;
        CancellationTokenRegistration made = Token.UnsafeRegister(static state => ((DurableWaiter)state!).Cancel(), this);
        // A token that is cancelled already has ended the wait within that line: then this may be the next call's by now.
        if (made != default) _registration = made;
    }

    /// <summary>Its token no longer ends its wait, and does not do so at this moment either. Not under the gate.</summary>
    public void Unregister()
    {
        _registration.Dispose();
        _registration = default;
        _waiters = null;
    }

    /// <summary>Clears it for its next use.</summary>
    protected sealed override void Release()
    {
        // It waits for a callback that runs, so no callback of this call meets the next one.
        Unregister();
        (Before, After, Token) = (null, null, default);
        Return();
    }

    /// <summary>Gives it back to its pool.</summary>
    protected abstract void Return();

    private void Cancel()
    {
        if (_waiters!.TryLeave(this)) SetException(new OperationCanceledException(Token));
    }
}

/// <summary>Calls that wait for something, in its order.</summary>
internal interface IWaiters
{
    /// <summary>Takes a call out, if it still waits here.</summary>
    bool TryLeave(DurableWaiter waiter);
}
