using System.Runtime.CompilerServices;

namespace Raceway.Rings;

/// <summary>A handle by which one thread publishes into a ring.</summary>
/// <remarks>
/// <para><b>Threads</b>: one at a time. Several threads take a handle each (<see cref="MultiProducer{T}"/>).
/// <see cref="RingOptions.CheckProducer"/> notices a second thread; without it items may be lost or mixed then. A call that meets a
/// thread waiting for room by the same handle throws <see cref="InvalidOperationException"/> in any case.</para>
/// <para><b>Blocking</b>: Publish and Claim wait for room as <see cref="RingOptions.ProducerWait"/> says, and throw when the
/// ring is draining, stopped, faulted or disposed. Try calls never wait; timed calls wait for at most their time; the async
/// ones hold no thread meanwhile. A wait owns nothing, so it can be cancelled without a trace.</para>
/// <para><b>Cost</b>: nothing is allocated (a cancellable wait that really waits registers its token). If the thread that an earlier
/// publish has woken does not run 50 µs later, a publish of any kind may call <see cref="Thread.Yield"/>: that thread may wait for the
/// producer's own processor. Other threads that are ready there may run as well.</para>
/// <para><b>Order</b>: what a handle publishes is handled in that order.</para>
/// </remarks>
/// <typeparam name="T">The item type.</typeparam>
/// <example>
/// <code>
/// producer.Publish(order);                                                       // waits for room
/// if (producer.TryPublish(order) == ClaimStatus.Full) rejected++;                // never waits
/// await producer.PublishAsync(order, cancellation);                              // awaits room, holds no thread
/// producer.Publish(42L, static (ref Order slot, long id) => slot.Id = id);       // fills the slot in place
/// </code>
/// </example>
public abstract partial class Producer<T> : IDisposable
{
    private protected Producer(RingBuffer<T> ring, Slots<T> slots, Claimer claimer) => (Ring, Slots, Claimer) = (ring, slots, claimer);

    /// <summary>The ring it publishes into.</summary>
    public RingBuffer<T> Ring { get; }

    /// <summary>The most slots of one claim.</summary>
    public int MaxClaim => Claimer.MaxClaim;

    /// <summary>Free slots: a snapshot, clamped to 0..capacity. Only a try call decides.</summary>
    public int Remaining => Claimer.Remaining;

    /// <summary>The ring's protocol, as far as it is this producer's.</summary>
    internal Claimer Claimer { get; }

    /// <summary>The slots that it claims.</summary>
    internal Slots<T> Slots { get; }

    // Of many items at once no more are claimed: the rest of the ring is for the items that are handled meanwhile.
    private int LargestPart => Math.Min(MaxClaim, Math.Max(1, Slots.Capacity / 2));

    /// <summary>Ends the handle; a multi producer gives back the room it has taken and not used. Idempotent.</summary>
    /// <remarks><b>Threads</b>: any. A call of another thread that is under way is the last one.</remarks>
    public void Dispose()
    {
        Claimer.Dispose();
        GC.SuppressFinalize(this);
    }

    /// <summary>Lets another thread use this producer from now on, if threads are checked. Only its owner can.</summary>
    /// <exception cref="InvalidOperationException">
    /// Another thread owns it, an async call is pending, or a claim of a single producer is open.
    /// </exception>
    public void ReleaseThread() => Claimer.ReleaseThread();

    /// <summary><see cref="ReleaseThread"/> where it can be; does nothing where another thread owns the producer, or a claim is open.</summary>
    /// <remarks>For code that lends it to its callers one after another, behind each call, also where that has failed.</remarks>
    public void TryReleaseThread() => Claimer.ForgetThread();

    /// <summary>Copies <paramref name="item"/> into the next slot, waiting for room.</summary>
    /// <exception cref="RingStoppedException">The ring takes no more items.</exception>
    /// <exception cref="RingFaultedException">A stage has failed; the inner exception is the cause.</exception>
    /// <exception cref="ObjectDisposedException">The ring or this producer has been disposed.</exception>
    /// <exception cref="ReentrantPublishException">Called by a handler of this ring, and the ring is full.</exception>
    /// <exception cref="ThreadInterruptedException">Interrupted while asleep; nothing is claimed.</exception>
    /// <exception cref="InvalidOperationException">
    /// The slots own their objects (<see cref="RingOptions{T}.CreateSlot"/>): fill one by a writer. Or the handle is in use.
    /// </exception>
    // Before the one with a span: Publish(default) is an item, not an empty span.
    [OverloadResolutionPriority(1)]
    public abstract void Publish(in T item);

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
            if (PublishPart(ref items, LargestPart, Timeout.InfiniteTimeSpan) != ClaimStatus.Done) throw Ring.Refusal();
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
            throw WaitErrors.Timeout(nameof(timeout), timeout);
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
        PayloadColumn<T> payloads = Ring.Payloads ?? throw PayloadErrors.NoPayloads();
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
        PayloadColumn<T> payloads = Ring.Payloads ?? throw PayloadErrors.NoPayloads();
        if (payload.Length > payloads.MaxLength) return ClaimStatus.TooLarge;
        ClaimStatus status = TryClaim(1, out Claim<T> claim);
        if (status != ClaimStatus.Done) return status;
        using Claim<T> owned = claim;
        payloads.Fill(ref claim.Slot, payload);
        Put(ref claim, state, write);
        return status;
    }

    /// <summary>Copies as many of <paramref name="items"/> as there is room for, and leaves the rest.</summary>
    /// <returns>Done where nothing is left, full or stopped.</returns>
    internal ClaimStatus TryPublishSome(ref ReadOnlySpan<T> items)
    {
        CheckCopies();
        while (!items.IsEmpty)
        {
            ClaimStatus status = PublishPart(ref items, Math.Clamp(Remaining, 1, LargestPart), TimeSpan.Zero);
            // Others may have taken some of what remained.
            if (status == ClaimStatus.TimedOut) status = PublishPart(ref items, 1, TimeSpan.Zero);
            if (status != ClaimStatus.Done) return status == ClaimStatus.TimedOut ? ClaimStatus.Full : status;
        }

        return ClaimStatus.Done;
    }

    /// <summary>Refuses to store an item over a slot's object: out of line, as the type's name is looked up for it.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal void RefuseCopies() => CheckCopies();

    /// <summary>Before a slot is overwritten by an item.</summary>
    /// <exception cref="InvalidOperationException">The slots own their objects.</exception>
    private void CheckCopies()
    {
        if (Slots.OwnsObjects) throw ClaimErrors.SlotsOwnObjects(typeof(T));
    }

    /// <summary><see cref="Publish(in T)"/> where the fast way is closed.</summary>
    // By value: a reference would keep the caller's own variable in memory, on the fast path too.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private protected void PublishSlow(T item) => Publish(item, CancellationToken.None);

    private ClaimStatus TryClaim(
        int count, TimeSpan timeout, bool suspended, out Claim<T> claim, CancellationToken cancellation)
    {
        ClaimStatus status = Claimer.TryClaim(count, timeout, suspended, cancellation, out long first, out long number);
        if (status != ClaimStatus.Done)
        {
            claim = default;
            return status;
        }

        if (Ring.Payloads is { } payloads) Lend(payloads, number, first, count);
        claim = new Claim<T>(Claimer, number, Slots.View(first, count, null));
        return status;
    }

    // Copies the first items, at most so many, and leaves the rest.
    private ClaimStatus PublishPart(ref ReadOnlySpan<T> items, int most, TimeSpan timeout, bool suspended = false)
    {
        int count = Math.Min(most, items.Length);
        ClaimStatus status = TryClaim(count, timeout, suspended, out Claim<T> claim, CancellationToken.None);
        if (status != ClaimStatus.Done) return status;
        using Claim<T> owned = claim;
        owned.Write(items[..count]);
        owned.Commit();
        items = items[count..];
        return status;
    }

    private ClaimStatus TryClaimNow(int count, bool suspended, out Claim<T> claim)
    {
        ClaimStatus status = TryClaim(count, TimeSpan.Zero, suspended, out claim, CancellationToken.None);
        return status == ClaimStatus.TimedOut ? ClaimStatus.Full : status;
    }

    private ClaimStatus TryPublishNow<TState>(TState state, SlotWriter<T, TState> write, bool suspended)
        where TState : allows ref struct
    {
        ClaimStatus status = TryClaimNow(1, suspended, out Claim<T> claim);
        if (status == ClaimStatus.Done) Put(ref claim, state, write);
        return status;
    }

    // The accessor is the user's: if it throws, the claim is given up.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Lend(PayloadColumn<T> payloads, long number, long first, int count)
    {
        bool lent = false;
        try
        {
            payloads.Lend(first, count);
            lent = true;
        }
        finally
        {
            if (!lent) Claimer.TryEnd(number, first, count, 0);
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Put<TState>(ref Claim<T> claim, TState state, SlotWriter<T, TState> write)
        where TState : allows ref struct
    {
        try
        {
            write(ref claim.Slot, state);
            claim.Commit();
        }
        catch (NullReferenceException fault) when (claim.Slot is null)
        {
            throw ClaimErrors.EmptySlot(typeof(T), fault);
        }
        finally
        {
            claim.Dispose();
        }
    }
}
