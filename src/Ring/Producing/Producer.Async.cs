using System.Runtime.CompilerServices;

namespace Raceway.Rings;

/// <content>Publishing with a limit, and without holding a thread.</content>
public abstract partial class Producer<T>
{
    /// <summary><see cref="Publish(in T)"/> with a wait that can be cancelled.</summary>
    /// <exception cref="OperationCanceledException">Cancelled while waiting; nothing is published.</exception>
    /// <inheritdoc cref="Publish(in T)"/>
    public void Publish(in T item, CancellationToken cancellation)
    {
        CheckCopies();
        using Claim<T> claim = Claim(1, cancellation);
        claim.Slot = item;
        // The lent payload, if any, stays the slot's own: the item's copy is no lease.
        claim.Commit();
    }

    /// <summary><see cref="Publish(in T)"/>, waiting for at most <paramref name="timeout"/>.</summary>
    /// <returns>Done, timed out or stopped.</returns>
    /// <exception cref="OperationCanceledException">Cancelled while waiting; nothing is published.</exception>
    public ClaimStatus TryPublish(in T item, TimeSpan timeout, CancellationToken cancellation = default)
    {
        CheckCopies();
        ClaimStatus status = TryClaim(1, timeout, out Claim<T> claim, cancellation);
        if (status != ClaimStatus.Done) return status;
        claim.Slot = item;
        claim.Commit();
        return status;
    }

    /// <summary>
    /// Copies <paramref name="item"/> into the next slot; where there is no room, waits for it without holding a thread.
    /// </summary>
    /// <remarks>
    /// <para><b>Order</b>: one call at a time. While one is pending, other calls of this handle that would claim throw
    /// <see cref="InvalidOperationException"/>; so what it publishes is handled in the order of the calls.</para>
    /// <para><b>Threads</b>: the caller's if there is room; else the item is published on the thread pool. With
    /// <see cref="RingOptions.CheckProducer"/> an async call leaves the handle free: the thread that uses it next owns it.</para>
    /// <para><b>Cost</b>: nothing is allocated if there is room. A call that waits registers its token, and its task is pooled:
    /// await it once. Now and then the pool is empty and a task is allocated, if waits end on other threads than they begin.</para>
    /// <para><b>Errors</b>: misuse throws at once; what Publish would throw, the task does.</para>
    /// </remarks>
    /// <param name="item">What to publish.</param>
    /// <param name="cancellation">Ends the wait; what is published is not taken back.</param>
    /// <exception cref="InvalidOperationException">Another async call of this handle is pending, or a claim is open.</exception>
    /// <exception cref="RingStoppedException">The ring takes no more items.</exception>
    /// <exception cref="RingFaultedException">A stage has failed; the inner exception is the cause.</exception>
    /// <exception cref="ObjectDisposedException">The ring or this producer has been disposed.</exception>
    /// <exception cref="ReentrantPublishException">Called by a handler of this ring, and the ring is full.</exception>
    /// <exception cref="OperationCanceledException">Cancelled while waiting; nothing is claimed.</exception>
    public ValueTask PublishAsync(T item, CancellationToken cancellation = default)
    {
        CheckCopies();
        return PublishAsync(item, static (ref T slot, T value) => slot = value, cancellation);
    }

    /// <summary>
    /// Fills the next slot by <paramref name="write"/>; where there is no room, waits for it without holding a thread. If
    /// <paramref name="write"/> throws, the claim is aborted.
    /// </summary>
    /// <inheritdoc cref="PublishAsync(T, CancellationToken)"/>
    public ValueTask PublishAsync<TState>(TState state, SlotWriter<T, TState> write, CancellationToken cancellation = default)
    {
        try
        {
            if (TryPublish(state, write) == ClaimStatus.Done) return ValueTask.CompletedTask;
            Claimer.Suspend();
        }
        finally
        {
            Claimer.ForgetThread();
        }

        return PublishWhenRoomAsync(state, write, cancellation);
    }

    /// <summary>
    /// Copies all of <paramref name="items"/> into slots, in as few claims as fit; where there is no room, waits for it without
    /// holding a thread. Cancelled or refused in the middle, it has published what had room before.
    /// </summary>
    /// <param name="items">What to publish; not to be changed until the task has completed.</param>
    /// <param name="cancellation">Ends the wait; what is published is not taken back.</param>
    /// <inheritdoc cref="PublishAsync(T, CancellationToken)"/>
    public ValueTask PublishAsync(ReadOnlyMemory<T> items, CancellationToken cancellation = default)
    {
        CheckCopies();
        ReadOnlyMemory<T> rest;
        try
        {
            rest = PublishNow(items, suspended: false);
            if (rest.IsEmpty) return ValueTask.CompletedTask;
            Claimer.Suspend();
        }
        finally
        {
            Claimer.ForgetThread();
        }

        return PublishWhenRoomAsync(rest, cancellation);
    }

    /// <summary>
    /// Waits, without holding a thread, until <paramref name="count"/> slots are free for this producer: the next claim of
    /// that many then succeeds at once. A multi producer holds that room until it claims it or is disposed.
    /// </summary>
    /// <remarks><b>Cost</b>: nothing is allocated if there is room. A wait registers its token, and its task is pooled: await it
    /// once. Now and then the pool is empty and a task is allocated, if waits end on other threads than they begin.</remarks>
    /// <returns>False when the ring takes no more items.</returns>
    /// <exception cref="InvalidOperationException">Another async call of this handle is pending, or a claim is open.</exception>
    /// <exception cref="ReentrantPublishException">Called by a handler of this ring, and the ring is full.</exception>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    public ValueTask<bool> WaitForRoomAsync(int count = 1, CancellationToken cancellation = default) =>
        Claimer.WaitForRoomAsync(count, cancellation);

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask PublishWhenRoomAsync<TState>(
        TState state, SlotWriter<T, TState> write, CancellationToken cancellation)
    {
        try
        {
            ClaimStatus status;
            do
            {
                await Claimer.RoomAsync(1, cancellation).ConfigureAwait(false);
                // There is room, or the ring is closed: it does not wait. The handle is still this call's; a thread that uses
                // it all the same may have taken the room.
                status = TryPublishNow(state, write, suspended: true);
            }
            while (status == ClaimStatus.Full);
            if (status != ClaimStatus.Done) throw Ring.Refusal();
        }
        finally
        {
            Claimer.Resume();
        }
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask PublishWhenRoomAsync(ReadOnlyMemory<T> items, CancellationToken cancellation)
    {
        try
        {
            while (!items.IsEmpty)
            {
                int count = Math.Min(LargestPart, items.Length);
                if (!await Claimer.RoomAsync(count, cancellation).ConfigureAwait(false)) throw Ring.Refusal();
                items = PublishNow(items, suspended: true);
            }
        }
        finally
        {
            Claimer.Resume();
        }
    }

    /// <summary>Publishes what there is room for, part by part; returns the rest.</summary>
    private ReadOnlyMemory<T> PublishNow(ReadOnlyMemory<T> items, bool suspended)
    {
        ReadOnlySpan<T> left = items.Span;
        while (!left.IsEmpty && PublishPart(ref left, LargestPart, TimeSpan.Zero, suspended) == ClaimStatus.Done)
        {
        }

        return items[^left.Length..];
    }
}
