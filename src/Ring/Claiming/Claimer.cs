using System.Runtime.CompilerServices;

namespace Raceway.Rings;

/// <summary>One producer's side of the ring's protocol: its claims, its room, the thread that may use it, and its end.</summary>
/// <remarks>
/// <para>A call goes through <see cref="Enter"/> only while <see cref="Plain"/> is false: threads are checked, an async call is
/// pending, a thread waits for room, or the handle is disposed. Such a call announces itself and then looks whether the handle
/// is disposed. <see cref="Dispose"/> stores that, issues a process-wide barrier, and then looks for a call. So what the handle
/// holds is given back once, by the call or by Dispose, and never under a call that uses it.</para>
/// </remarks>
internal abstract partial class Claimer
{
    private readonly Claims _claims;
    private readonly bool _checks;
    private readonly bool _copies;
    private Ownership _owner;
    private bool _entered;
    private bool _disposed;
    private int _committing;

    private protected Claimer(Claims claims, int maxClaim, bool copies)
    {
        (_claims, Sequencer, MaxClaim) = (claims, claims.Sequencer, maxClaim);
        _checks = claims.Options.CheckProducer;
        _copies = copies;
        OpenPlain();
        _waiting = claims.Options.ProducerWait.Create(new WaitContext(false, Sequencer.Capacity, claims.HasHoles, true));
    }

    /// <summary>The most slots of one claim.</summary>
    public int MaxClaim { get; }

    /// <summary>Free slots: a snapshot, clamped to 0..capacity.</summary>
    public abstract int Remaining { get; }

    /// <summary>Whether several stamps are just being written.</summary>
    public bool IsCommitting => Volatile.Read(ref _committing) != 0;

    private protected IClaimOwner Owner => _claims.Owner;

    private protected Sequencer Sequencer { get; }

    /// <summary>Whether a call need look at nothing but the ring.</summary>
    private protected bool Plain { get; private set; }

    /// <summary>The same, and a slot is filled by storing an item over it: nothing is lent, and no object is the slot's own.</summary>
    private protected bool Copies { get; private set; }

    /// <summary>Whether the handle is disposed: no further call claims.</summary>
    private protected bool IsDisposed => Volatile.Read(ref _disposed);

    /// <summary>Whether a claim keeps all other calls out.</summary>
    private protected virtual bool HasOpenClaim => false;

    /// <summary>Claims, waiting as long as allowed; the number tells the claim from all others of this handle.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ClaimStatus TryClaim(
        int count, TimeSpan timeout, bool suspended, CancellationToken cancellation, out long first, out long number)
    {
        CheckCount(count);
        return Plain
            ? Acquire(count, timeout, cancellation, out first, out number)
            : AcquireChecked(count, timeout, suspended, cancellation, out first, out number);
    }

    public void CheckCount(int count)
    {
        if (count < 1 || count > MaxClaim) throw ClaimErrors.ClaimCount(count, MaxClaim);
    }

    /// <summary>Publishes the first <paramref name="published"/> of a claim, and gives the rest up; false if it has ended before.</summary>
    public abstract bool TryEnd(long number, long first, int count, int published);

    /// <summary>The same for a claim that is open for certain.</summary>
    public abstract void Settle(long first, int count, int published);

    /// <summary>The sequence of the ring that <paramref name="own"/> has; if none yet, the next to be given.</summary>
    public virtual long SequenceOf(long own) => own;

    /// <summary>Ends the handle. Any thread; a call that is under way is the last one. Idempotent.</summary>
    public void Dispose()
    {
        if (_disposed) return;
        Volatile.Write(ref _disposed, true);
        ClosePlain();
        // ORDER: pairs with Enter and Leave, which store and then load: a call has seen the end, or is seen here.
        Interlocked.MemoryBarrierProcessWide();
        if (!Volatile.Read(ref _entered)) Retire();
    }

    /// <summary>Lets another thread use the handle from now on, if threads are checked. Only its owner can.</summary>
    public void ReleaseThread()
    {
        _owner.Enter(keep: false);
        if (HasOpenClaim) throw ClaimErrors.ClaimOpen();
        ForgetThread();
    }

    /// <summary>The same for code that serves its callers from any thread: nothing, if the handle is not the caller's.</summary>
    public void ForgetThread()
    {
        if (_checks && !HasOpenClaim) _owner.LeaveIfMine();
    }

    /// <summary>The handle is an async call's, and nothing else claims, until <see cref="Resume"/>.</summary>
    public void Suspend()
    {
        _owner.Suspend();
        ClosePlain();
    }

    /// <summary>The async call is over. The next call opens the fast way again, on its own thread.</summary>
    public void Resume() => _owner.Leave();

    /// <summary>Claims, for a call that may use the handle. Throws if a claim is open that keeps others out.</summary>
    private protected abstract ClaimStatus Acquire(
        int count, TimeSpan timeout, CancellationToken cancellation, out long first, out long number);

    /// <summary>From now on no call takes a fast way.</summary>
    private protected virtual void ClosePlain() => Plain = Copies = false;

    /// <summary>The handle is disposed and no call is under way: gives back what it holds. May be called again.</summary>
    private protected abstract void Retire();

    /// <summary>Begins a call that claims, or the pending async call itself. Throws if the handle is another's, or disposed.</summary>
    private protected void Enter(bool suspended)
    {
        if (!suspended) _owner.Enter(_checks);
        // ORDER: announce, then look; pairs with the process-wide barrier of Dispose.
        Volatile.Write(ref _entered, true);
        if (IsDisposed)
        {
            Leave();
            throw new ObjectDisposedException("Producer");
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

    /// <summary>Stamps a claim of several, so that a seal finds all of it or nothing.</summary>
    /// <returns>False where the ring was sealed before: then nothing is stamped.</returns>
    private protected bool StampTogether(Availability stamps, long first, int count, int published)
    {
        if (IsDisposed) return StampForgotten(stamps, first, count, published);
        // ORDER: announce, then look; pairs with the process-wide barrier of Ring.Seal: either this sees the seal, or the seal
        // waits for the end of this.
        Volatile.Write(ref _committing, 1);
        bool open = !Sequencer.Cursor.IsReleased;
        if (open) Stamp(stamps, first, count, published);
        Volatile.Write(ref _committing, 0);
        return open;
    }

    /// <summary>The handle is disposed, and holds nothing any more.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private protected void Forget() => _claims.Forget(this);

    /// <summary>A claim has ended after the ring was sealed: returns if what it published came in time, else throws.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private protected void EndLate(long first, int count, int published) => Owner.EndLate(this, first, count, published);

    // By itself: a closure is made where the method begins.
    private bool StampForgotten(Availability stamps, long first, int count, int published) =>
        Owner.UnlessSealed(() => Stamp(stamps, first, count, published));

    private static void Stamp(Availability stamps, long first, int count, int published)
    {
        if (published > 0) stamps.Publish(first, first + published - 1);
        if (published < count) stamps.Bury(first + published, first + count - 1);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private ClaimStatus AcquireChecked(
        int count, TimeSpan timeout, bool suspended, CancellationToken cancellation, out long first, out long number)
    {
        Enter(suspended);
        try
        {
            return Acquire(count, timeout, cancellation, out first, out number);
        }
        finally
        {
            Leave();
        }
    }

    private void OpenPlain()
    {
        Plain = !_checks;
        Copies = Plain && _copies;
        // Disposed meanwhile: Dispose has closed it, or does so behind its barrier.
        if (IsDisposed) ClosePlain();
    }
}
