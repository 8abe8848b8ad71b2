namespace Raceway.Rings;

/// <content>Which thread may use the handle, and its end.</content>
/// <remarks>
/// A call goes through here only while <see cref="Plain"/> is false: threads are checked, an async call is pending, a thread
/// waits for room, or the handle is disposed. Such a call announces itself and then looks whether the handle is disposed;
/// <see cref="Dispose"/> stores that, issues a process-wide barrier, and then looks for a call. So what the handle holds is
/// given back once, by the call or by Dispose, and never under a call that uses it.
/// </remarks>
public abstract partial class Producer<T>
{
    private readonly bool _checks;
    private readonly bool _copies;
    private Ownership _owner;
    private bool _entered;
    private bool _disposed;

    /// <summary>Ends the handle; a multi producer gives back the room it has taken and not used. Idempotent.</summary>
    /// <remarks><b>Threads</b>: any. A call of another thread that is under way is the last one.</remarks>
    public void Dispose()
    {
        if (_disposed) return;
        Volatile.Write(ref _disposed, true);
        ClosePlain();
        // ORDER: pairs with Enter and Leave, which store and then load: a call has seen the end, or is seen here.
        Interlocked.MemoryBarrierProcessWide();
        if (!Volatile.Read(ref _entered)) Retire();
        GC.SuppressFinalize(this);
    }

    /// <summary>Lets another thread use this producer from now on, if threads are checked. Only its owner can.</summary>
    /// <exception cref="InvalidOperationException">
    /// Another thread owns it, an async call is pending, or a claim of a single producer is open.
    /// </exception>
    public void ReleaseThread()
    {
        _owner.Enter(keep: false);
        if (HasOpenClaim) throw ProducerErrors.ClaimOpen();
        ForgetThread();
    }

    /// <summary>The same for code that serves its callers from any thread: nothing, if the handle is not the caller's.</summary>
    internal void ForgetThread()
    {
        if (_checks && !HasOpenClaim) _owner.LeaveIfMine();
    }

    /// <summary>Whether a call need look at nothing but the ring.</summary>
    private protected bool Plain { get; private set; }

    /// <summary>The same, and a slot is filled by storing an item over it: nothing is lent, and no object is the slot's own.</summary>
    private protected bool Copies { get; private set; }

    /// <summary>Whether the handle is disposed: no further call claims.</summary>
    private protected bool IsDisposed => Volatile.Read(ref _disposed);

    /// <summary>Whether a claim keeps all other calls out.</summary>
    private protected virtual bool HasOpenClaim => false;

    /// <summary>From now on no call takes a fast way.</summary>
    private protected virtual void ClosePlain() => Plain = Copies = false;

    /// <summary>The handle is disposed and no call is under way: gives back what it holds. May be called again.</summary>
    private protected abstract void Retire();

    /// <summary>Begins a call that claims.</summary>
    /// <param name="suspended">It is the pending async call itself.</param>
    /// <exception cref="InvalidOperationException">Another thread owns the handle, or an async call is pending.</exception>
    /// <exception cref="ObjectDisposedException">The handle has been disposed.</exception>
    private protected void Enter(bool suspended)
    {
        if (!suspended) _owner.Enter(_checks);
        // ORDER: announce, then look; pairs with the process-wide barrier of Dispose.
        Volatile.Write(ref _entered, true);
        if (IsDisposed)
        {
            Leave();
            throw new ObjectDisposedException(GetType().Name);
        }

        if (!suspended) OpenPlain();
    }

    /// <summary>Ends a call that <see cref="Enter"/> has begun.</summary>
    private protected void Leave()
    {
        // ORDER: as in Enter: Dispose sees that the call is over, or this sees that it has to finish.
        Volatile.Write(ref _entered, false);
        if (IsDisposed) Retire();
    }

    /// <summary>The handle is an async call's, and nothing else claims, until <see cref="Resume"/>.</summary>
    private void Suspend()
    {
        _owner.Suspend();
        ClosePlain();
    }

    // The next call opens the fast way again, on its own thread.
    private void Resume() => _owner.Leave();

    private void OpenPlain()
    {
        Plain = !_checks;
        Copies = Plain && _copies;
        // Disposed meanwhile: Dispose has closed it, or does so behind its barrier.
        if (IsDisposed) ClosePlain();
    }

    /// <summary>Before a slot is overwritten by an item.</summary>
    /// <exception cref="InvalidOperationException">The slots own their objects.</exception>
    private protected void CheckCopies()
    {
        if (Slots.OwnsObjects) throw ProducerErrors.SlotsOwnObjects(typeof(T));
    }
}
