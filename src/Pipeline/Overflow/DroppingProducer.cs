using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>Publishes while there is room, and drops what comes while there is none: the newest. Never waits.</summary>
/// <remarks>
/// <para><b>Threads</b>: as its producer, one at a time; <see cref="Dropped"/> by any.</para>
/// <para><b>Order</b>: what is published is in the order of the calls, without what was dropped.</para>
/// <para><b>Cost</b>: what is dropped is never claimed, so no slot is passed over for it and no payload is rented. Nothing is
/// allocated.</para>
/// <para>What the producer itself refuses (the ring is stopped, a payload is too large) is its caller's, and not dropped.</para>
/// </remarks>
/// <param name="producer">Publishes. It stays its owner's to dispose.</param>
/// <param name="dropped">Is given each item that there is no room for, on the thread that publishes; its exceptions are that
/// thread's. The item is counted before.</param>
/// <typeparam name="T">The item type.</typeparam>
/// <example>
/// <code>
/// var producer = new DroppingProducer&lt;Order>(
///     pipeline.CreateProducer(), static (in Order order) => Console.WriteLine($"no room for {order.Id}"));
/// foreach (Order order in orders) producer.Publish(order);  // never waits
/// Console.WriteLine($"{producer.Dropped} dropped");
/// </code>
/// </example>
public sealed class DroppingProducer<T>(Producer<T> producer, DropAction<T>? dropped = null)
{
    private readonly Producer<T> _producer = producer ?? throw new ArgumentNullException(nameof(producer));
    private long _dropped;

    /// <summary>Items dropped so far.</summary>
    public long Dropped => Volatile.Read(ref _dropped);

    /// <summary>Copies <paramref name="item"/> into the next slot, or drops it.</summary>
    /// <returns>Done; full: it was dropped; or stopped.</returns>
    public ClaimStatus Publish(in T item)
    {
        ClaimStatus status = _producer.TryPublish(item);
        if (status == ClaimStatus.Full)
        {
            Count();
            dropped?.Invoke(in item);
        }

        return status;
    }

    /// <summary>Fills the next slot by <paramref name="write"/>, or drops <paramref name="state"/>, which is then the item.</summary>
    /// <param name="state">What the item is made from.</param>
    /// <param name="write">Makes it.</param>
    /// <param name="dropped">Is given the state where there is no room.</param>
    /// <returns>Done; full: it was dropped; or stopped.</returns>
    public ClaimStatus Publish<TState>(TState state, SlotWriter<T, TState> write, DropAction<TState>? dropped = null)
        where TState : allows ref struct
    {
        ClaimStatus status = _producer.TryPublish(state, write);
        if (status == ClaimStatus.Full)
        {
            Count();
            dropped?.Invoke(in state);
        }

        return status;
    }

    /// <summary>The same with a payload, which the caller still has where it was dropped.</summary>
    /// <param name="payload">The bytes.</param>
    /// <param name="state">What the rest of the item is made from.</param>
    /// <param name="write">Makes it.</param>
    /// <param name="dropped">Is given the state where there is no room.</param>
    /// <returns>Done; full: it was dropped; stopped; or too large.</returns>
    /// <exception cref="InvalidOperationException">The ring has no payloads.</exception>
    public ClaimStatus PublishPayload<TState>(
        ReadOnlySpan<byte> payload, TState state, SlotWriter<T, TState> write, DropAction<TState>? dropped = null)
        where TState : allows ref struct
    {
        ClaimStatus status = _producer.TryPublishPayload(payload, state, write);
        if (status == ClaimStatus.Full)
        {
            Count();
            dropped?.Invoke(in state);
        }

        return status;
    }

    // Written by one thread. Readers see it whole.
    private void Count() => Volatile.Write(ref _dropped, _dropped + 1);
}

/// <summary>Takes an item that was not published.</summary>
/// <typeparam name="T">The item type, or that of what it would have been made from.</typeparam>
public delegate void DropAction<T>(ref readonly T item)
    where T : allows ref struct;
