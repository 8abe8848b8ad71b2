using System.Runtime.CompilerServices;

namespace Raceway.Rings;

/// <summary>The one producer of a single-producer ring, or of a lane of a sharded one. No atomic operation, and no fence, a
/// message.</summary>
/// <remarks>
/// <para>In a sharded ring each producer has a lane of its own: slots that no other producer writes, and sequences of its own
/// (<see cref="Claim{T}.Sequence"/> is one of them). Stages see the lanes merged into one order, which keeps each
/// producer's and promises nothing between producers.</para>
/// <para>One open claim at a time, so that giving one up is a rewind: the next claim begins at the same sequence.</para>
/// </remarks>
/// <typeparam name="T">The item type.</typeparam>
/// <example>
/// <code>
/// await using var ring = new RingBuffer&lt;Order>(1024);
/// ring.Subscribe(write);
/// ring.Start();
/// using SingleProducer&lt;Order> producer = ring.CreateProducer();
/// foreach (Order order in orders) producer.Publish(order);
/// </code>
/// </example>
public sealed class SingleProducer<T> : Producer<T>
{
    // Slots that are lent buffers by one call, for the claims of an OpenProducer: each of them costs a small part of it.
    private const int LentAtOnce = 32;

    private readonly SingleClaimer _claims;
    private long _lentThrough = -1; // to the OpenProducer that is open

    internal SingleProducer(RingBuffer<T> ring, SingleClaimer claims)
        : base(ring, ring.Slots.OfLane(claims.Lane.Index), claims) => _claims = claims;

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public override void Publish(in T item)
    {
        SingleClaimer claims = _claims;
        if (!claims.IsFast(out long next))
        {
            PublishSlow(item);
            return;
        }

        if (claims.IsClosed) throw Ring.Refusal();
        Slots.Own(next) = item;
        claims.PublishFast(next);
    }

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public override ClaimStatus TryPublish(in T item)
    {
        SingleClaimer claims = _claims;
        if (!claims.IsFast(out long next)) return base.TryPublish(item);
        if (claims.IsClosed) return ClaimStatus.Stopped;
        Slots.Own(next) = item;
        claims.PublishFast(next);
        return ClaimStatus.Done;
    }

    /// <summary>Keeps the producer's state in registers for a loop of single claims: the fastest way to publish.</summary>
    /// <remarks>The handle's own calls are excluded until it is disposed. Hold it for a loop, not for a lifetime.</remarks>
    /// <exception cref="InvalidOperationException">A claim is open.</exception>
    public OpenProducer<T> Open()
    {
        long number = _claims.Open(out long next);
        // What was lent to the one before may have been written since, by a claim that was given up.
        _lentThrough = -1;
        return new(this, number, next, OpenLimit);
    }

    /// <summary>The protocol, for an <see cref="OpenProducer{T}"/> that leaves its fast way.</summary>
    internal SingleClaimer Claims => _claims;

    /// <summary>Room for <paramref name="count"/> from <paramref name="next"/>, waiting; returns the new limit.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal long MakeRoom(long number, long next, int count)
    {
        _claims.MakeRoom(number, next, count);
        if (Ring.Payloads is not { } payloads) return _claims.Limit;
        int lent = (int)Math.Min(Math.Max(count, LentAtOnce), _claims.Limit - next + 1);
        payloads.Lend(next, lent);
        return _lentThrough = next + lent - 1;
    }

    /// <summary>Signals the waiters for <paramref name="first"/> to <paramref name="last"/>, which are published; returns the limit.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal long SignalOpen(long first, long last)
    {
        _claims.Signal(first, last);
        return OpenLimit;
    }

    // With payloads a claim needs a buffer as well as room.
    private long OpenLimit => Ring.Payloads is null ? _claims.Limit : _lentThrough;
}
