using System.Runtime.CompilerServices;
using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>One producer, lent to one call at a time, and the line of the calls that wait for room.</summary>
/// <remarks>
/// <para>The producer is held while something is published, never while a call waits for room. So a wait for the producer is
/// one for another call's copy or writer.</para>
/// <para>A call that finds no room goes to the end of the line. A deferred call (async) leaves there what it wants to publish,
/// and whichever thread finds the room publishes it: no thread has to be woken first. A blocking call sleeps there until it is
/// called. The room that it is called for is kept for it; what is beyond that others may take meanwhile.</para>
/// <para>While calls wait, one <see cref="Waiter"/> is armed for all of them (see PublishingLine.Serving.cs).</para>
/// <para>Two locks, the producer's outside. The gate is held for a few instructions, and no user code runs under it.</para>
/// </remarks>
internal sealed partial class PublishingLine<T>
{
    private const int Looks = 30;

    // How many milliseconds a thread waits for the producer until it looks again at its token, and at a clock that wakes
    // nothing here.
    private const int LooksAgain = 20;

    private readonly Lock _lending = new();
    private readonly Producer<T> _producer;
    private readonly bool _checks;
    private bool _lent;

    public PublishingLine(Producer<T> producer)
    {
        _producer = producer;
        _checks = producer.Ring.Options.CheckProducer;
        _watch = new Watch(this);
    }

    public Ring Ring => _producer.Ring;

    /// <summary>Throws where a payload of <paramref name="length"/> bytes can never be published.</summary>
    public void CheckPayload(int length) => (_producer.Ring.Payloads ?? throw PayloadErrors.NoPayloads()).CheckLength(length);

    public bool IsOwnHandler => Reentrancy.IsHandlerOf(Ring.Family);

    /// <summary>Publishes where the producer is free, nothing waits and there is room; full otherwise.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public ClaimStatus TryAtOnce<TPublication>(ref TPublication publication)
        where TPublication : struct, IPublication<T>, allows ref struct
    {
        if (!_lending.TryEnter()) return ClaimStatus.Full;
        try
        {
            return Volatile.Read(ref _waiting) == 0 ? Publish(ref publication) : ClaimStatus.Full;
        }
        finally
        {
            _lending.Exit();
        }
    }

    /// <summary>Publishes where there is room behind those that wait. It looks for the producer a few times, and never waits.</summary>
    public ClaimStatus TryNow<TPublication>(ref TPublication publication)
        where TPublication : struct, IPublication<T>, allows ref struct
    {
        bool entered = _lending.TryEnter();
        var spin = default(SpinWait);
        for (int look = 0; !entered && look < Looks; look++)
        {
            spin.SpinOnce(sleep1Threshold: -1);
            entered = _lending.TryEnter();
        }

        return entered ? PublishBehindOthersAndExit(ref publication) : ClaimStatus.Full;
    }

    /// <summary>Publishes, waiting on this thread.</summary>
    /// <returns>Done, timed out, stopped or too large.</returns>
    /// <exception cref="ReentrantPublishException">The caller is a handler of the ring, and the ring is full.</exception>
    public ClaimStatus Publish<TPublication>(ref TPublication publication, long deadline, CancellationToken cancellation)
        where TPublication : struct, IPublication<T>, allows ref struct
    {
        if (IsOwnHandler) return PublishAsHandler(ref publication, deadline, cancellation);
        if (!TryEnter(deadline, cancellation)) return ClaimStatus.TimedOut;
        ClaimStatus status = PublishBehindOthersAndExit(ref publication);
        return status == ClaimStatus.Full ? PublishInTurn(ref publication, deadline, cancellation) : status;
    }

    /// <summary>
    /// Publishes for a handler of the ring. It must not stand behind callers that wait for the room which it makes, so it goes
    /// past them.
    /// </summary>
    /// <exception cref="ReentrantPublishException">The ring is full.</exception>
    public ClaimStatus PublishAsHandler<TPublication>(ref TPublication publication, long deadline, CancellationToken cancellation)
        where TPublication : struct, IPublication<T>, allows ref struct
    {
        if (!TryEnter(deadline, cancellation)) return ClaimStatus.TimedOut;
        ClaimStatus status;
        try
        {
            status = Publish(ref publication);
        }
        finally
        {
            _lending.Exit();
        }

        return status == ClaimStatus.Full ? throw ClaimErrors.Reentrant() : status;
    }

    private ClaimStatus PublishInTurn<TPublication>(ref TPublication publication, long deadline, CancellationToken cancellation)
        where TPublication : struct, IPublication<T>, allows ref struct
    {
        Turn<T> turn = Pool<Turn<T>>.Rent();
        Append(turn);
        try
        {
            while (true)
            {
                Attend();
                // Called in the moment in which the time was up: its turn all the same.
                if (!turn.Wait(Ring.Clock, deadline, cancellation) && TryLeave(turn)) return ClaimStatus.TimedOut;
                if (!TryEnter(deadline, cancellation)) return ClaimStatus.TimedOut;
                ClaimStatus status = PublishAndExit(ref publication, turn);
                if (status != ClaimStatus.Full) return status;
            }
        }
        finally
        {
            GiveUp(turn);
            turn.Forget();
            Pool<Turn<T>>.Return(turn);
            Attend();
        }
    }

    private ClaimStatus PublishBehindOthersAndExit<TPublication>(ref TPublication publication)
        where TPublication : struct, IPublication<T>, allows ref struct
    {
        Deferred<T>? done = null;
        try
        {
            CheckNotLent();
            if (Volatile.Read(ref _waiting) != 0)
            {
                Serve(ref done);
                if (!Ring.Control.IsClosed && !HasRoomBehindOthers()) return ClaimStatus.Full;
            }

            return Publish(ref publication);
        }
        finally
        {
            _lending.Exit();
            Complete(done);
        }
    }

    private ClaimStatus PublishAndExit<TPublication>(ref TPublication publication, Turn<T> turn)
        where TPublication : struct, IPublication<T>, allows ref struct
    {
        Deferred<T>? done = null;
        try
        {
            GiveUp(turn);
            ClaimStatus status = Publish(ref publication);
            // Others of a multi-producer ring have taken its room, or there are more items: it stays the first.
            if (status == ClaimStatus.Full) Prepend(turn);
            else Serve(ref done);
            return status;
        }
        finally
        {
            _lending.Exit();
            Complete(done);
        }
    }

    /// <summary>Publishes by the producer, which is this caller's.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ClaimStatus Publish<TPublication>(ref TPublication publication)
        where TPublication : struct, IPublication<T>, allows ref struct
    {
        CheckNotLent();
        _lent = true;
        try
        {
            return publication.Try(_producer);
        }
        finally
        {
            _lent = false;
            if (_checks) _producer.Claimer.ForgetThread();
        }
    }

    // The lock lets its own thread in again.
    private void CheckNotLent()
    {
        if (_lent) throw PublishingErrors.Nested();
    }

    private bool TryEnter(long deadline, CancellationToken cancellation)
    {
        if (_lending.TryEnter()) return true;
        if (deadline == Clock.Never && !cancellation.CanBeCanceled)
        {
            _lending.Enter();
            return true;
        }

        Clock clock = Ring.Clock;
        while (true)
        {
            cancellation.ThrowIfCancellationRequested();
            int left = clock.IsMachine ? MachineClock.MillisecondsUntil(deadline) : LooksAgain;
            if (cancellation.CanBeCanceled && (uint)left > LooksAgain) left = LooksAgain;
            if (_lending.TryEnter(left == 0 ? 1 : left)) return true;
            if (deadline != Clock.Never && clock.Now >= deadline) return false;
        }
    }
}
