using System.Runtime.CompilerServices;

namespace Raceway.Rings;

/// <content>Waiting for room, and publishing, without holding a thread.</content>
public abstract partial class Producer<T>
{
    private readonly AsyncWaiter _room = new();
    private bool _hasRoom;
    private long _wanted;

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
    /// <para><b>Threads</b>: the caller's if there is room; else the item is published on the thread pool. With
    /// <see cref="RingOptions.CheckProducer"/> an async call leaves the handle free: the thread that uses it next owns it.</para>
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
            Suspend();
        }
        finally
        {
            ForgetThread();
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
            Suspend();
        }
        finally
        {
            ForgetThread();
        }

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
        try
        {
            if (ReserveNow(count, suspended: false)) return !Ring.Control.IsClosed;
            Suspend();
        }
        finally
        {
            ForgetThread();
        }

        try
        {
            await RoomUnlessHandlerAsync(count, cancellation).ConfigureAwait(false);
            return _hasRoom;
        }
        finally
        {
            Resume();
        }
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask PublishWhenRoomAsync<TState>(
        TState state, SlotWriter<T, TState> write, CancellationToken cancellation)
    {
        try
        {
            ClaimStatus status;
            do
            {
                await RoomUnlessHandlerAsync(1, cancellation).ConfigureAwait(false);
                // There is room, or the ring is closed: it does not wait. The handle is still this call's; a thread that uses
                // it all the same may have taken the room.
                status = TryPublishNow(state, write, suspended: true);
            }
            while (status == ClaimStatus.Full);
            if (status != ClaimStatus.Done) throw Ring.Refusal();
        }
        finally
        {
            Resume();
        }
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask PublishWhenRoomAsync(ReadOnlyMemory<T> items, CancellationToken cancellation)
    {
        try
        {
            while (!items.IsEmpty)
            {
                await RoomUnlessHandlerAsync(Math.Min(LargestPart, items.Length), cancellation).ConfigureAwait(false);
                if (!_hasRoom) throw Ring.Refusal();
                items = PublishNow(items, suspended: true);
            }
        }
        finally
        {
            Resume();
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
                if ((seen & Control.Closed) != 0) return;
                Place?.Ask(count);
                _hasRoom = ReserveNow(count, suspended: true);
                if (_hasRoom)
                {
                    Place?.Served();
                    return;
                }

                (Progress cell, long awaited) = RoomTarget(_wanted);
                _waiting.Rest(Stall.Blocked);
                var target = new WaitTarget(cell, awaited, Clock.Never, Ring.Control, seen);
                await _room
                    .WaitForAsync(Place is null ? target : Place.Behind(target), cancellation)
                    .ConfigureAwait(false);
                _waiting.Stalls.EndAt(_room.EndedAt);
                seen = Ring.Control.Word;
            }
        }
        finally
        {
            Place?.Leave();
            _waiting.ForgetWake();
            _waiting.Stalls.Work();
            Ring.EndBlocked();
        }
    }

    // Whether there is room, or the ring is closed and so looks as if there were.
    private bool ReserveNow(int count, bool suspended)
    {
        Enter(suspended);
        try
        {
            if (HasOpenClaim) throw Throw.ClaimOpen();
            return Reserve(count, out _wanted);
        }
        finally
        {
            Leave();
        }
    }

    /// <summary>Publishes what there is room for, part by part; returns the rest.</summary>
    private ReadOnlyMemory<T> PublishNow(ReadOnlyMemory<T> items, bool suspended)
    {
        while (!items.IsEmpty)
        {
            int count = Math.Min(LargestPart, items.Length);
            if (TryClaimNow(count, suspended, out Claim<T> claim) != ClaimStatus.Done) break;
            using Claim<T> owned = claim;
            owned.Write(items.Span[..count]);
            owned.Commit();
            items = items[count..];
        }

        return items;
    }
}
