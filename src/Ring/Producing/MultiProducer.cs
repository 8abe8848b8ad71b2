using System.Runtime.CompilerServices;

namespace Raceway.Rings;

/// <summary>One of several producers of a multi-producer ring, for one thread.</summary>
/// <remarks>
/// <para>Room is taken as credits, some at a time; a claim is then one atomic addition. An idle producer holds up to
/// <see cref="CreditBatch"/> − 1 slots, all of them together at most half the ring.</para>
/// <para>Producers that wait for room take turns: while another one has the turn, half the ring is kept for it, and Try calls
/// answer Full for that half.</para>
/// </remarks>
/// <typeparam name="T">The item type.</typeparam>
/// <example>
/// <code>
/// await using var ring = new RingBuffer&lt;Order>(1024, new() { Producers = ProducerKind.Multi, MaxProducers = 4 });
/// ring.Subscribe(write);
/// ring.Start();
/// await Task.WhenAll(Enumerable.Range(0, 4).Select(_ => Task.Run(() =>
/// {
///     using MultiProducer&lt;Order> producer = ring.CreateMultiProducer();  // one per thread
///     foreach (Order order in orders) producer.Publish(order);
/// })));
/// </code>
/// </example>
public sealed class MultiProducer<T> : Producer<T>
{
    private readonly MultiClaimer _claims;

    internal MultiProducer(RingBuffer<T> ring, MultiClaimer claims)
        : base(ring, ring.Slots, claims) => _claims = claims;

    /// <summary>How much room is taken at a time.</summary>
    public int CreditBatch => _claims.CreditBatch;

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public override void Publish(in T item)
    {
        MultiClaimer claims = _claims;
        if (!claims.IsFast)
        {
            PublishSlow(item);
            return;
        }

        long sequence = claims.ClaimFast();
        Slots.Own(sequence) = item;
        claims.PublishFast(sequence);
    }
}
