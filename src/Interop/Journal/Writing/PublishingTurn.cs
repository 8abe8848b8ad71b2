using System.Runtime.CompilerServices;
using Raceway.Rings;

namespace Raceway.Interop.Journal.Writing;

/// <summary>Which call of a <see cref="DurablePublisher{T}"/> may use the producer, and the calls that wait for it, in their order.</summary>
/// <remarks>
/// A call that finds it free publishes by itself. The others, and one that finds the ring full, leave their items here, and one work
/// item of the thread pool publishes them as there is room. A call completes in the <see cref="DurableLine"/>, without a hop between.
/// <para><b>Cost</b>: calls are pooled.</para>
/// </remarks>
internal sealed class PublishingTurn<T> : IWaiters, IThreadPoolWorkItem
{
    private readonly object _gate = new();
    private readonly Journal<T> _journal;
    private readonly Producer<T> _producer;
    private readonly Action _goOn;
    private ConfiguredValueTaskAwaitable<bool>.ConfiguredValueTaskAwaiter _room;
    private DurableWaiter? _first;
    private DurableWaiter? _last;
    private bool _isTaken;

    public PublishingTurn(Journal<T> journal, Producer<T> producer)
    {
        (_journal, _producer) = (journal, producer);
        _goOn = GoOn;
    }

    /// <summary>Takes the producer, if no call has it or waits for it.</summary>
    public bool TryTake()
    {
        lock (_gate)
        {
            if (_isTaken) return false;
            return _isTaken = true;
        }
    }

    /// <summary>Leaves the producer to the calls that wait.</summary>
    public void Pass()
    {
        lock (_gate)
        {
            _isTaken = _first is not null;
            if (!_isTaken) return;
        }

        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    /// <summary>Leaves an item here for a call that did not get the producer.</summary>
    public ValueTask Add<TState>(TState state, SlotWriter<T, TState> write, CancellationToken cancellation)
    {
        ValueTask task = Wait(state, write, cancellation, out bool takesIt);
        if (takesIt) Pass();
        return task;
    }

    /// <summary>Leaves an item here for the call that has the producer, before all others, until there is room.</summary>
    public ValueTask AddAndWait<TState>(TState state, SlotWriter<T, TState> write, ValueTask<bool> room, CancellationToken cancellation)
    {
        _room = room.ConfigureAwait(false).GetAwaiter();
        ValueTask task = Wait(state, write, cancellation, out _, isFirst: true);
        if (_room.IsCompleted) ThreadPool.UnsafeQueueUserWorkItem(static turn => turn.GoOn(), this, preferLocal: false);
        else _room.UnsafeOnCompleted(_goOn);
        return task;
    }

    /// <inheritdoc/>
    public bool TryLeave(DurableWaiter waiter)
    {
        lock (_gate)
        {
            if (!waiter.Waits) return false;
            Unlink(waiter);
            return true;
        }
    }

    /// <summary>Publishes what waits. The turn is taken.</summary>
    void IThreadPoolWorkItem.Execute() => PublishAll(hasRoom: false);

    // Not an async method: each wait for room would allocate its state.
    private void PublishAll(bool hasRoom)
    {
        while (true)
        {
            while (TryPublishFirst(hasRoom)) hasRoom = false;
            lock (_gate)
            {
                _isTaken = _first is not null;
                if (!_isTaken) return;
            }

#pragma warning disable CA2012 // It is awaited by hand, once.
            _room = _producer.WaitForRoomAsync().ConfigureAwait(false).GetAwaiter();
#pragma warning restore CA2012
            if (!_room.IsCompleted)
            {
                _room.UnsafeOnCompleted(_goOn);
                return;
            }

            hasRoom = EndWait();
        }
    }

    private void GoOn() => PublishAll(hasRoom: EndWait());

    private bool EndWait()
    {
        try
        {
            return _room.GetResult();
        }
        catch (Exception fault)
        {
            TakeFirst()?.SetException(fault);
            return false;
        }
    }

    // False if the ring is full, or no call waits. Room that was waited for is claimed even if no call waits for it any more: a
    // producer among several would keep it.
    private bool TryPublishFirst(bool hasRoom)
    {
        Publication<T>? call = null;
        long sequence;
        try
        {
            lock (_gate)
            {
                if (_first is null && !hasRoom) return false;
            }

            ClaimStatus status = _producer.TryClaim(1, out Claim<T> claim);
            if (status == ClaimStatus.Full) return false;
            if (status != ClaimStatus.Done) throw _producer.Ring.Refusal();
            try
            {
                // All that waited may have been cancelled meanwhile: then the slot goes back.
                call = TakeFirst();
                if (call is null) return false;
                call.Write(ref claim.Slot);
                sequence = claim.Sequence;
                claim.Commit();
            }
            finally
            {
                claim.Dispose();
            }
        }
        catch (Exception fault)
        {
            (call ?? TakeFirst())?.SetException(fault);
            return true;
        }
        finally
        {
            Leave();
        }

        _journal.CompleteAtRing(call, sequence);
        return true;
    }

    // The next one is another thread.
    private void Leave() => _producer.TryReleaseThread();

    private Publication<T>? TakeFirst()
    {
        Publication<T>? call;
        lock (_gate)
        {
            call = (Publication<T>?)_first;
            if (call is null) return null;
            Unlink(call);
        }

        call.Unregister();
        return call;
    }

    private ValueTask Wait<TState>(TState state, SlotWriter<T, TState> write, CancellationToken cancellation, out bool takesIt, bool isFirst = false)
    {
        Publication<T, TState> call = Publication<T, TState>.Rent(state, write);
        call.Token = cancellation;
        ValueTask task = call.TaskWithoutResult;
        lock (_gate)
        {
            // The call that had it may be done by now.
            takesIt = !_isTaken;
            _isTaken = true;
            call.Waits = true;
            call.Before = isFirst ? null : _last;
            call.After = isFirst ? _first : null;
            if (call.Before is { } before) before.After = call;
            else _first = call;
            if (call.After is { } after) after.Before = call;
            else _last = call;
            call.Register(this);
        }

        return task;
    }

    private void Unlink(DurableWaiter waiter)
    {
        waiter.Waits = false;
        if (waiter.Before is { } before) before.After = waiter.After;
        else _first = waiter.After;
        if (waiter.After is { } after) after.Before = waiter.Before;
        else _last = waiter.Before;
    }
}

/// <summary>A durable publish that waits for its turn, and then for the disk.</summary>
internal abstract class Publication<T> : DurableWaiter
{
    /// <summary>Fills its slot.</summary>
    public abstract void Write(ref T slot);
}

/// <inheritdoc/>
internal sealed class Publication<T, TState> : Publication<T>
{
    private TState _state = default!;
    private SlotWriter<T, TState> _write = null!;

    public static Publication<T, TState> Rent(TState state, SlotWriter<T, TState> write)
    {
        Publication<T, TState> call = Pool<Publication<T, TState>>.Rent();
        call.RunContinuationsAsynchronously = true;
        (call._state, call._write) = (state, write);
        return call;
    }

    public override void Write(ref T slot) => _write(ref slot, _state);

    protected override void Return()
    {
        (_state, _write) = (default!, null!);
        Pool<Publication<T, TState>>.Return(this);
    }
}
