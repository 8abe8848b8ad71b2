using System.Runtime.InteropServices;
using Disruptor;
using Raceway.Rings;

// Not Raceway.Interop.Disruptor: that would hide the name of theirs from everything in Raceway.
namespace Raceway.Interop.DisruptorNet;

/// <summary>Raceway's handlers as handlers of Disruptor-net.</summary>
/// <remarks>
/// <para>Hooks go along: <see cref="IStageLifetime"/> is called at their start and shutdown, <see cref="IIdleHandler"/> at their
/// timeouts. Handlers that await or return outcomes have no counterpart there.</para>
/// <para><b>Errors</b>: theirs to decide (<c>IExceptionHandler</c>). Where that goes on, it passes over the whole batch of a
/// batch handler, whatever the handler has marked as done.</para>
/// <para><b>Cost</b>: a call a batch, or a call an item, more; nothing is allocated.</para>
/// </remarks>
public static class OnDisruptor
{
    /// <summary>Batch by batch, over a ring of objects.</summary>
    /// <param name="handler">The handler.</param>
    /// <param name="maxBatch">The most items of a call; null for all that is there.</param>
    public static BatchesOnDisruptor<T> ToDisruptor<T>(this IBatchHandler<T> handler, int? maxBatch = null)
        where T : class => new(handler, maxBatch);

    /// <summary>Item by item, over a ring of objects.</summary>
    /// <inheritdoc cref="ToDisruptor{T}(IBatchHandler{T}, int?)"/>
    public static EventsOnDisruptor<T> ToDisruptor<T>(this Rings.IEventHandler<T> handler, int? maxBatch = null)
        where T : class => new(handler, maxBatch);

    /// <summary>Item by item, over a ring of values.</summary>
    /// <inheritdoc cref="ToDisruptor{T}(IBatchHandler{T}, int?)"/>
    public static ValuesOnDisruptor<T> ToValueDisruptor<T>(this Rings.IEventHandler<T> handler, int? maxBatch = null)
        where T : struct => new(handler, maxBatch);

    /// <summary>Over a ring of values, which hands over one item at a time: in batches of one.</summary>
    /// <inheritdoc cref="ToDisruptor{T}(IBatchHandler{T}, int?)"/>
    public static BatchesOfOneOnDisruptor<T> ToValueDisruptor<T>(this IBatchHandler<T> handler, int? maxBatch = null)
        where T : struct => new(handler, maxBatch);
}

/// <summary>What a handler of ours has in common on their engine: its hooks.</summary>
/// <remarks>These types are public as Disruptor-net calls only handlers of public types directly.</remarks>
public abstract class HooksOnDisruptor : IEventHandler
{
    private readonly object _handler;

    private protected HooksOnDisruptor(object handler, int? maxBatch)
    {
        ArgumentNullException.ThrowIfNull(handler);
        if (maxBatch is { } most) ArgumentOutOfRangeException.ThrowIfLessThan(most, 1, nameof(maxBatch));
        _handler = handler;
        MaxBatchSize = maxBatch;
    }

    /// <inheritdoc/>
    public int? MaxBatchSize { get; }

    /// <inheritdoc/>
    public void OnStart() => (_handler as IStageLifetime)?.OnStart();

    /// <inheritdoc/>
    public void OnShutdown() => (_handler as IStageLifetime)?.OnStop();

    /// <inheritdoc/>
    public void OnTimeout(long sequence) => (_handler as IIdleHandler)?.OnIdle();
}

/// <summary>A batch handler of ours on their ring of objects.</summary>
public sealed class BatchesOnDisruptor<T> : HooksOnDisruptor, IBatchEventHandler<T>
    where T : class
{
    private readonly IBatchHandler<T> _handler;

    internal BatchesOnDisruptor(IBatchHandler<T> handler, int? maxBatch)
        : base(handler, maxBatch) => _handler = handler;

    /// <inheritdoc/>
    public void OnBatch(EventBatch<T> batch, long sequence)
    {
        ReadOnlySpan<T> items = batch.AsSpan();
        // Ours are given their slots to write, as on a ring of ours; theirs hold references that may be replaced as well.
        _handler.OnBatch(new Batch<T>(MemoryMarshal.CreateSpan(ref MemoryMarshal.GetReference(items), items.Length), sequence));
    }
}

/// <summary>An event handler of ours on their ring of objects.</summary>
public sealed class EventsOnDisruptor<T> : HooksOnDisruptor, global::Disruptor.IEventHandler<T>
    where T : class
{
    private readonly Rings.IEventHandler<T> _handler;

    internal EventsOnDisruptor(Rings.IEventHandler<T> handler, int? maxBatch)
        : base(handler, maxBatch) => _handler = handler;

    /// <inheritdoc/>
    public void OnEvent(T data, long sequence, bool endOfBatch) => _handler.OnEvent(ref data, sequence, endOfBatch);
}

/// <summary>An event handler of ours on their ring of values.</summary>
public sealed class ValuesOnDisruptor<T> : HooksOnDisruptor, IValueEventHandler<T>
    where T : struct
{
    private readonly Rings.IEventHandler<T> _handler;

    internal ValuesOnDisruptor(Rings.IEventHandler<T> handler, int? maxBatch)
        : base(handler, maxBatch) => _handler = handler;

    /// <inheritdoc/>
    public void OnEvent(ref T data, long sequence, bool endOfBatch) => _handler.OnEvent(ref data, sequence, endOfBatch);
}

/// <summary>A batch handler of ours on their ring of values.</summary>
public sealed class BatchesOfOneOnDisruptor<T> : HooksOnDisruptor, IValueEventHandler<T>
    where T : struct
{
    private readonly IBatchHandler<T> _handler;

    internal BatchesOfOneOnDisruptor(IBatchHandler<T> handler, int? maxBatch)
        : base(handler, maxBatch) => _handler = handler;

    /// <inheritdoc/>
    public void OnEvent(ref T data, long sequence, bool endOfBatch) =>
        _handler.OnBatch(new Batch<T>(MemoryMarshal.CreateSpan(ref data, 1), sequence));
}
