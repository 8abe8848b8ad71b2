using System.Runtime.CompilerServices;

namespace Raceway.Rings;

/// <content>Waiting for room, and publishing, without holding a thread.</content>
public abstract partial class Producer<T>
{
    private readonly AsyncWaiter _room = new();
    private bool _pending;
    private bool _hasRoom;

    /// <summary>How it has waited for room.</summary>
    internal RoomWaits RoomWaits
    {
        get
        {
            StallTimes times = _waiting.Stalls.Read();
            return new RoomWaits(_waiting.Waits, _waiting.Parks, times.Blocked, times.Waking);
        }
    }

    /// <summary>
    /// Copies <paramref name="item"/> into the next slot; where there is no room, waits for it without holding a thread.
    /// </summary>
    /// <remarks>
    /// <para><b>Order</b>: one call at a time. While one is pending, other calls of this handle that would claim throw
    /// <see cref="InvalidOperationException"/>; so what it publishes is handled in the order of the calls.</para>
    /// <para><b>Threads</b>: the caller's where there is room; else the item is published on the thread pool. With
    /// <see cref="RingOptions.CheckProducer"/> a handle that has waited so belongs to whoever uses it next.</para>
    /// <para><b>Cost</b>: nothing is allocated, pending or not (one that waits registers its token). The task is pooled where
    /// it waits: await it once.</para>
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
    public ValueTask PublishAsync(T item, CancellationToken cancellation = default) =>
        PublishAsync(item, static (ref T slot, T value) => slot = value, cancellation);

    /// <summary>
    /// Fills the next slot by <paramref name="write"/>; where there is no room, waits for it without holding a thread. If
    /// <paramref name="write"/> throws, the claim is aborted.
    /// </summary>
    /// <inheritdoc cref="PublishAsync(T, CancellationToken)"/>
    public ValueTask PublishAsync<TState>(TState state, SlotWriter<T, TState> write, CancellationToken cancellation = default)
    {
        if (TryPublish(state, write) == ClaimStatus.Done) return ValueTask.CompletedTask;
        _pending = true;
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
        ReadOnlyMemory<T> rest = PublishNow(items);
        if (rest.IsEmpty) return ValueTask.CompletedTask;
        _pending = true;
        return PublishWhenRoomAsync(rest, cancellation);
    }

    /// <summary>
    /// Waits, without holding a thread, until <paramref name="count"/> slots are free for this producer: the next claim of
    /// that many then succeeds at once. A multi producer holds that room until it claims it or is disposed.
    /// </summary>
    /// <remarks><b>Cost</b>: nothing is allocated (a wait registers its token). The task is pooled where it waits: await it
    /// once.</remarks>
    /// <returns>False when the ring takes no more items.</returns>
    /// <exception cref="InvalidOperationException">Another async call of this handle is pending, or a claim is open.</exception>
    /// <exception cref="ReentrantPublishException">Called by a handler of this ring, and the ring is full.</exception>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public async ValueTask<bool> WaitForRoomAsync(int count = 1, CancellationToken cancellation = default)
    {
        CheckCount(count);
        CheckFree();
        if (Reserve(count, out _)) return !Ring.Control.IsClosed;
        _pending = true;
        try
        {
            await RoomUnlessHandlerAsync(count, cancellation).ConfigureAwait(false);
            return _hasRoom;
        }
        finally
        {
            EndPending();
        }
    }

    /// <summary>Throws where the handle cannot claim, see <see cref="CheckUsable"/>, or an async call is pending.</summary>
    private protected void CheckFree()
    {
        if (_pending) throw Throw.AsyncPending();
        CheckUsable();
    }

    /// <summary>With thread checks: the handle belongs to whoever uses it next.</summary>
    internal abstract void ForgetThread();

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask PublishWhenRoomAsync<TState>(
        TState state, SlotWriter<T, TState> write, CancellationToken cancellation)
    {
        try
        {
            await RoomUnlessHandlerAsync(1, cancellation).ConfigureAwait(false);
            EndPending();
            // There is room, or the ring is closed: it does not wait.
            Publish(state, write);
        }
        finally
        {
            EndPending();
        }
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask PublishWhenRoomAsync(ReadOnlyMemory<T> items, CancellationToken cancellation)
    {
        try
        {
            while (!items.IsEmpty)
            {
                _pending = true;
                await RoomUnlessHandlerAsync(Math.Min(LargestPart, items.Length), cancellation).ConfigureAwait(false);
                EndPending();
                if (!_hasRoom) throw Ring.Refusal();
                items = PublishNow(items);
            }
        }
        finally
        {
            EndPending();
        }
    }

    // A handler of this ring would wait for itself.
    private ValueTask RoomUnlessHandlerAsync(int count, CancellationToken cancellation)
    {
        if (Reentrancy.IsHandlerOf(Ring.Family) && !Ring.Control.IsClosed) throw Throw.Reentrant();
        return RoomAsync(count, cancellation);
    }

    /// <summary>Waits until <see cref="Reserve"/> succeeds, or the ring takes no more items. Owns nothing meanwhile.</summary>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask RoomAsync(int count, CancellationToken cancellation)
    {
        _hasRoom = false;
        long seen = Ring.BeginBlocked();
        try
        {
            while (true)
            {
                CheckUsable();
                if ((seen & Control.Closed) != 0) return;
                _hasRoom = Reserve(count, out long last);
                if (_hasRoom) return;
                (Progress cell, long awaited) = RoomTarget(last);
                _waiting.Rest(Stall.Blocked);
                await _room
                    .WaitForAsync(new WaitTarget(cell, awaited, Clock.Never, Ring.Control, seen), cancellation)
                    .ConfigureAwait(false);
                _waiting.Stalls.EndAt(_room.EndedAt);
                ForgetThread();
                seen = Ring.Control.Word;
            }
        }
        finally
        {
            _waiting.Stalls.Work();
            Ring.EndBlocked();
        }
    }

    /// <summary>Publishes what there is room for, part by part; returns the rest.</summary>
    private ReadOnlyMemory<T> PublishNow(ReadOnlyMemory<T> items)
    {
        while (!items.IsEmpty)
        {
            int count = Math.Min(LargestPart, items.Length);
            if (TryClaim(count, out Claim<T> claim) != ClaimStatus.Done) break;
            using Claim<T> owned = claim;
            owned.Write(items.Span[..count]);
            owned.Commit();
            items = items[count..];
        }

        return items;
    }

    private void EndPending()
    {
        _pending = false;
        ForgetThread();
    }
}
