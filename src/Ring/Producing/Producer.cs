using System.Runtime.CompilerServices;

namespace Raceway.Rings;

/// <summary>A handle by which one thread publishes into a ring.</summary>
/// <remarks>
/// <para><b>Threads</b>: one at a time. Several threads take a handle each (<see cref="MultiProducer{T}"/>).
/// <see cref="RingOptions.CheckProducer"/> notices a second thread; without it items may be lost then. A call that meets a
/// thread waiting for room by the same handle throws <see cref="InvalidOperationException"/> in any case.</para>
/// <para><b>Blocking</b>: Publish and Claim wait for room as <see cref="RingOptions.ProducerWait"/> says, and throw when the
/// ring is draining, stopped, faulted or disposed. Try calls never wait; timed calls wait for at most their time; the async
/// ones hold no thread meanwhile. A wait owns nothing, so it can be cancelled without a trace.</para>
/// <para><b>Cost</b>: nothing is allocated (a cancellable wait that really waits registers its token).</para>
/// <para><b>Order</b>: what a handle publishes is handled in that order.</para>
/// </remarks>
/// <typeparam name="T">The item type.</typeparam>
public abstract partial class Producer<T> : IDisposable
{
    private protected static readonly TimeSpan NoWait = TimeSpan.Zero;

    private readonly Waiting _waiting;
    private readonly int _maxClaim;

    private protected Producer(RingBuffer<T> ring, Slots<T> slots, int maxClaim)
    {
        Ring = ring;
        Slots = slots;
        _maxClaim = maxClaim;
        _checks = ring.Options.CheckProducer;
        _copies = ring.Payloads is null && !slots.OwnsObjects;
        OpenPlain();
        _waiting = ring.Options.ProducerWait.Create(ring.WaitContext(leadsChain: false, isProducer: true));
        Place = ring.Sequencer.Turns?.NewPlace(_waiting, _room);
    }

    /// <summary>The ring it publishes into.</summary>
    public RingBuffer<T> Ring { get; }

    /// <summary>The most slots of one claim.</summary>
    public int MaxClaim => _maxClaim;

    /// <summary>Free slots: a snapshot, clamped to 0..capacity. Only a try call decides.</summary>
    public abstract int Remaining { get; }

    private protected Slots<T> Slots { get; }

    /// <summary>Where it stands among several producers that wait for room; null where it is alone.</summary>
    private protected Place? Place { get; }

    // Of many items at once no more are claimed: the rest of the ring is for those who handle them meanwhile.
    private int LargestPart => Math.Min(MaxClaim, Math.Max(1, Slots.Capacity / 2));

    /// <summary>Copies <paramref name="item"/> into the next slot, waiting for room.</summary>
    /// <exception cref="RingStoppedException">The ring takes no more items.</exception>
    /// <exception cref="RingFaultedException">A stage has failed; the inner exception is the cause.</exception>
    /// <exception cref="ObjectDisposedException">The ring or this producer has been disposed.</exception>
    /// <exception cref="ReentrantPublishException">Called by a handler of this ring, and the ring is full.</exception>
    /// <exception cref="ThreadInterruptedException">Interrupted while asleep; nothing is claimed.</exception>
    /// <exception cref="InvalidOperationException">
    /// The slots own their objects (<see cref="RingOptions{T}.CreateSlot"/>): fill one by a writer. Or the handle is in use.
    /// </exception>
    public virtual void Publish(in T item)
    {
        CheckCopies();
        using Claim<T> claim = Claim();
        claim.Slot = item;
        claim.Commit();
    }

    /// <summary>Fills the next slot by <paramref name="write"/>, waiting for room. If it throws, the claim is aborted.</summary>
    /// <remarks>
    /// Where T is a class, the writer finds the slot's own object with <see cref="RingOptions{T}.CreateSlot"/>; without it the
    /// slot holds null or a former item, and the writer has to assign one.
    /// </remarks>
    /// <inheritdoc cref="Publish(in T)"/>
    public void Publish<TState>(TState state, SlotWriter<T, TState> write)
        where TState : allows ref struct
    {
        ArgumentNullException.ThrowIfNull(write);
        Claim<T> claim = Claim();
        Put(ref claim, state, write);
    }

    /// <summary>Copies all of <paramref name="items"/> into slots, in as few claims as fit, waiting for room.</summary>
    /// <inheritdoc cref="Publish(in T)"/>
    public void Publish(ReadOnlySpan<T> items)
    {
        CheckCopies();
        while (!items.IsEmpty)
        {
            ReadOnlySpan<T> some = items[..Math.Min(LargestPart, items.Length)];
            using Claim<T> claim = Claim(some.Length);
            claim.Write(some);
            claim.Commit();
            items = items[some.Length..];
        }
    }

    /// <summary><see cref="Publish(in T)"/> if there is room now.</summary>
    /// <returns>Done, full or stopped.</returns>
    public virtual ClaimStatus TryPublish(in T item)
    {
        CheckCopies();
        ClaimStatus status = TryClaim(1, out Claim<T> claim);
        if (status != ClaimStatus.Done) return status;
        claim.Slot = item;
        claim.Commit();
        return status;
    }

    /// <summary><see cref="Publish{TState}(TState, SlotWriter{T, TState})"/> if there is room now.</summary>
    /// <returns>Done, full or stopped.</returns>
    public ClaimStatus TryPublish<TState>(TState state, SlotWriter<T, TState> write)
        where TState : allows ref struct
    {
        ArgumentNullException.ThrowIfNull(write);
        return TryPublishNow(state, write, suspended: false);
    }

    /// <summary>Claims <paramref name="count"/> slots, waiting for room.</summary>
    /// <param name="count">1 to <see cref="MaxClaim"/>.</param>
    /// <param name="cancellation">Ends the wait; what is claimed is not taken back.</param>
    /// <exception cref="ArgumentOutOfRangeException">Out of range.</exception>
    /// <exception cref="OperationCanceledException">Cancelled while waiting; nothing is claimed.</exception>
    /// <inheritdoc cref="Publish(in T)"/>
    public Claim<T> Claim(int count = 1, CancellationToken cancellation = default)
    {
        ClaimStatus status = TryClaim(count, Timeout.InfiniteTimeSpan, suspended: false, out Claim<T> claim, cancellation);
        return status == ClaimStatus.Done ? claim : throw Ring.Refusal();
    }

    /// <summary>Claims <paramref name="count"/> slots if there is room now.</summary>
    /// <returns>Done, full or stopped.</returns>
    /// <exception cref="ArgumentOutOfRangeException">Out of range.</exception>
    public ClaimStatus TryClaim(int count, out Claim<T> claim) => TryClaimNow(count, suspended: false, out claim);

    /// <summary>Claims <paramref name="count"/> slots, waiting for at most <paramref name="timeout"/> in all.</summary>
    /// <returns>Done, timed out or stopped.</returns>
    /// <inheritdoc cref="Claim(int, CancellationToken)"/>
    public ClaimStatus TryClaim(
        int count, TimeSpan timeout, out Claim<T> claim, CancellationToken cancellation = default)
    {
        if (timeout < TimeSpan.Zero && timeout != Timeout.InfiniteTimeSpan)
            throw Throw.Timeout(nameof(timeout), timeout);
        return TryClaim(count, timeout, suspended: false, out claim, cancellation);
    }

    /// <summary>
    /// Copies <paramref name="payload"/> into the next slot's pooled buffer and fills the rest of the slot by
    /// <paramref name="write"/>, waiting for room.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Longer than the ring's maximum; nothing is claimed.</exception>
    /// <exception cref="InvalidOperationException">The ring has no payloads.</exception>
    /// <inheritdoc cref="Publish(in T)"/>
    public void PublishPayload<TState>(
        ReadOnlySpan<byte> payload, TState state, SlotWriter<T, TState> write)
        where TState : allows ref struct
    {
        ArgumentNullException.ThrowIfNull(write);
        PayloadColumn<T> payloads = Ring.Payloads ?? throw Throw.NoPayloads();
        payloads.CheckLength(payload.Length);
        Claim<T> claim = Claim();
        using Claim<T> owned = claim;
        payloads.Fill(ref claim.Slot, payload);
        Put(ref claim, state, write);
    }

    /// <summary><see cref="PublishPayload"/> if there is room now.</summary>
    /// <returns>Done, full, stopped or too large.</returns>
    /// <exception cref="InvalidOperationException">The ring has no payloads.</exception>
    public ClaimStatus TryPublishPayload<TState>(
        ReadOnlySpan<byte> payload, TState state, SlotWriter<T, TState> write)
        where TState : allows ref struct
    {
        ArgumentNullException.ThrowIfNull(write);
        PayloadColumn<T> payloads = Ring.Payloads ?? throw Throw.NoPayloads();
        if (payload.Length > payloads.MaxLength) return ClaimStatus.TooLarge;
        ClaimStatus status = TryClaim(1, out Claim<T> claim);
        if (status != ClaimStatus.Done) return status;
        using Claim<T> owned = claim;
        payloads.Fill(ref claim.Slot, payload);
        Put(ref claim, state, write);
        return status;
    }

    /// <summary>Publishes the first <paramref name="published"/> of a claim, and gives the rest up, unless it has ended.</summary>
    /// <param name="number">What tells the claim from all others of this handle.</param>
    /// <param name="first">Its first sequence.</param>
    /// <param name="count">How many it has.</param>
    /// <param name="published">How many of them are published.</param>
    /// <returns>False if it has ended before.</returns>
    internal abstract bool TryEnd(long number, long first, int count, int published);

    /// <summary>The same for a claim that is open for certain.</summary>
    internal abstract void Settle(long first, int count, int published);

    private protected void CheckCount(int count)
    {
        if (count < 1 || count > MaxClaim) throw Throw.ClaimCount(count, MaxClaim);
    }

    /// <summary>Claims, waiting as long as allowed.</summary>
    /// <exception cref="InvalidOperationException">A claim is open that keeps others out.</exception>
    private protected abstract ClaimStatus Acquire(
        int count, TimeSpan timeout, CancellationToken cancellation, out long first, out long number);

    /// <summary>Makes sure of room without claiming. Where there is none: the sequence that room must reach.</summary>
    private protected abstract bool Reserve(int count, out long last);

    /// <summary>How many slots the last <see cref="Reserve"/> found free; 0 where it had no need to look.</summary>
    private protected long Found { get; set; }

    /// <summary>What keeps <paramref name="last"/> from being claimed, and where it must get to.</summary>
    private protected abstract (Progress Cell, long Awaited) RoomTarget(long last);

    /// <summary>Waits until <see cref="Reserve"/> succeeds. Owns nothing meanwhile.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private protected ClaimStatus WaitForRoom(int count, TimeSpan timeout, CancellationToken cancellation)
    {
        if (Ring.Control.IsClosed) return ClaimStatus.Stopped;
        if (Reserve(count, out long last)) return timeout == TimeSpan.Zero ? ClaimStatus.Done : Gather();
        if (timeout == TimeSpan.Zero) return ClaimStatus.TimedOut;
        if (Reentrancy.IsHandlerOf(Ring.Family)) throw Throw.Reentrant();
        cancellation.ThrowIfCancellationRequested();

        // There is one waiter. Without checks a second thread, which is misuse, is told here at the latest.
        bool taken = _owner.Enter(keep: true);
        ClosePlain();
        long deadline = Ring.Clock.In(timeout);
        long seen = Ring.BeginBlocked();
        CancellationTokenRegistration registration = default;
        try
        {
            registration = cancellation.UnsafeRegister(static waiting => ((Waiting)waiting!).Wake(), _waiting);
            while (true)
            {
                // At first as well: the word just read may be that of a ring closed since, or of room given back since;
                // everybody has been woken for it, so nobody would be again.
                if ((seen & Control.Closed) != 0) return ClaimStatus.Stopped;
                Place?.Ask(count);
                if (Reserve(count, out last))
                {
                    Place?.Served();
                    return Gather();
                }

                cancellation.ThrowIfCancellationRequested();
                if (deadline != Clock.Never && Ring.Clock.Now >= deadline) return ClaimStatus.TimedOut;
                (Progress cell, long awaited) = RoomTarget(last);
                var target = new WaitTarget(cell, awaited, deadline, Ring.Control, seen) { Clock = Ring.Clock, Stall = Stall.Blocked };
                _waiting.Idle(Place is null ? target : Place.Behind(target));
                seen = Ring.Control.Word;
            }
        }
        finally
        {
            Place?.Leave();
            // After this no wake can come, so that none is left for the next wait.
            registration.Dispose();
            _waiting.ForgetWake();
            _waiting.Stalls.Work();
            Ring.EndBlocked();
            OpenPlain();
            if (taken) _owner.Leave();
        }
    }

    // Where room comes in drops, a few slots a look, each look costs a line transfer: the strategy may let some gather.
    private ClaimStatus Gather()
    {
        if (Found > 0) _waiting.Progressed((int)Math.Min(Found, int.MaxValue), more: false);
        return ClaimStatus.Done;
    }
}
