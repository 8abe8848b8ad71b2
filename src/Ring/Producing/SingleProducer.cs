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
    // One call that lends 32 slots is cheaper than 32 calls.
    private const int MostLentAtOnce = 32;

    private readonly SingleClaimer _claims;
    private long _lentThrough = -1; // the last slot that is lent to the open OpenProducer
    private int _lendsAtOnce;

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
        return new(this, number, next, ForgetLent());
    }

    /// <summary>The protocol, for an <see cref="OpenProducer{T}"/> that leaves its fast way.</summary>
    internal SingleClaimer Claims => _claims;

    /// <summary>
    /// Room for <paramref name="count"/> from <paramref name="next"/>, waiting, and their payloads; returns the new limit.
    /// </summary>
    /// <param name="number">The claim's.</param>
    /// <param name="next">Its first slot.</param>
    /// <param name="count">How many it has.</param>
    /// <param name="held">How many the claim before it has, where that was not committed; it begins at the same slot.</param>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal long MakeRoom(long number, long next, int count, int held)
    {
        _claims.MakeRoom(number, next, count, held);
        if (Ring.Payloads is not { } payloads) return _claims.Limit;
        // A loop is lent more and more ahead; claims that are given up again and again pay for little that they do not use.
        _lendsAtOnce = held > 0 ? 1 : Math.Min(2 * _lendsAtOnce, MostLentAtOnce);
        int lent = (int)Math.Min(Math.Max(count, _lendsAtOnce), _claims.Limit - next + 1);
        payloads.Lend(next, lent);
        return _lentThrough = next + lent - 1;
    }

    /// <summary>What was lent ahead may have been written since, by a claim that was given up; returns the new limit.</summary>
    internal long ForgetLent()
    {
        _lentThrough = -1;
        _lendsAtOnce = 1;
        return OpenLimit;
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
