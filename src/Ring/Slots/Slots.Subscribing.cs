namespace Raceway.Rings;

/// <content>Stages over this column.</content>
public sealed partial class Slots<T>
{
    /// <summary>Attaches a stage that is called a batch at a time.</summary>
    /// <exception cref="ArgumentException">The options contradict the ring.</exception>
    /// <exception cref="InvalidOperationException">The ring is draining or has ended.</exception>
    public Stage Subscribe(IBatchHandler<T> handler, StageOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return AttachOutcome(new PlainBatches<T>(handler), options);
    }

    /// <summary>Attaches a stage that is called an item at a time.</summary>
    /// <inheritdoc cref="Subscribe(IBatchHandler{T}, StageOptions?)"/>
    public Stage Subscribe(IEventHandler<T> handler, StageOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        // For a class as the item, shared code would look the wrapper itself up at every event.
        return typeof(T).IsValueType ? AttachEvent(new ClassHandler<T>(handler), options) : AttachEvent(handler, options);
    }

    /// <summary>Attaches a stage that is called an item at a time.</summary>
    /// <inheritdoc cref="Subscribe(IBatchHandler{T}, StageOptions?)"/>
    public Stage Subscribe(SlotAction<T> handler, StageOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Attach(name => new DelegateStage<T>(Ring, this, handler, Or(options), name), options);
    }

    /// <summary>Attaches a stage whose handler awaits.</summary>
    /// <inheritdoc cref="Subscribe(IBatchHandler{T}, StageOptions?)"/>
    public Stage Subscribe(IAsyncBatchHandler<T> handler, StageOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Attach(name => new AsyncStage<T>(Ring, this, new PlainAsyncCall<T>(handler), Or(options), name), options);
    }

    /// <summary>Attaches a stage whose handler returns what has become of its batch.</summary>
    /// <inheritdoc cref="Subscribe(IBatchHandler{T}, StageOptions?)"/>
    public Stage Subscribe(IOutcomeHandler<T> handler, StageOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return AttachOutcome(handler, options);
    }

    /// <summary>Attaches a stage whose handler awaits, and returns what has become of its batch.</summary>
    /// <inheritdoc cref="Subscribe(IBatchHandler{T}, StageOptions?)"/>
    public Stage Subscribe(IAsyncOutcomeHandler<T> handler, StageOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Attach(name => new AsyncStage<T>(Ring, this, new OutcomeAsyncCall<T>(handler), Or(options), name), options);
    }

    /// <summary>Attaches a stage that turns this column's items into those of <paramref name="results"/>.</summary>
    /// <param name="handler">Writes the results.</param>
    /// <param name="results">A column of the same ring, see <see cref="Ring.AddColumn"/>.</param>
    /// <param name="options">How it is attached. Stages over the results follow this one.</param>
    /// <inheritdoc cref="Subscribe(IBatchHandler{T}, StageOptions?)"/>
    public Stage Subscribe<TOut>(
        IMapHandler<T, TOut> handler, Slots<TOut> results, StageOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return AttachMap(handler, results, options);
    }

    /// <summary>Attaches a struct handler of batches: its calls are direct and may be inlined.</summary>
    /// <inheritdoc cref="Subscribe(IBatchHandler{T}, StageOptions?)"/>
    public Stage SubscribeBatches<THandler>(THandler handler, StageOptions? options = null)
        where THandler : struct, IBatchHandler<T> => AttachBatch(handler, options);

    /// <summary>Attaches a struct handler of single items: its calls are direct and may be inlined.</summary>
    /// <inheritdoc cref="Subscribe(IBatchHandler{T}, StageOptions?)"/>
    public Stage SubscribeEvents<THandler>(THandler handler, StageOptions? options = null)
        where THandler : struct, IEventHandler<T> => AttachEvent(handler, options);

    /// <summary>Attaches a struct handler that maps: its calls are direct and may be inlined.</summary>
    /// <inheritdoc cref="Subscribe{TOut}(IMapHandler{T, TOut}, Slots{TOut}, StageOptions?)"/>
    public Stage SubscribeMaps<TOut, THandler>(THandler handler, Slots<TOut> results, StageOptions? options = null)
        where THandler : struct, IMapHandler<T, TOut> => AttachMap(handler, results, options);

    /// <summary>Attaches a struct handler that returns what has become of its batch: its calls are direct and may be inlined.</summary>
    /// <inheritdoc cref="Subscribe(IBatchHandler{T}, StageOptions?)"/>
    public Stage SubscribeOutcomes<THandler>(THandler handler, StageOptions? options = null)
        where THandler : struct, IOutcomeHandler<T> => AttachOutcome(handler, options);

    /// <summary>What weighs the items of this column: what the options say, or the length of their payloads.</summary>
    internal ItemWeight<T>? WeigherOf(StageOptions options) =>
        options.Weigher is { } weigher ? weigher.For<T>()
        : Ring is RingBuffer<T> { Payloads: { } payloads } ring && ReferenceEquals(ring.Slots, this) ? payloads.Weigh
        : null;

    private Stage AttachMap<TOut, THandler>(THandler handler, Slots<TOut> results, StageOptions? options)
        where THandler : IMapHandler<T, TOut>
    {
        ArgumentNullException.ThrowIfNull(results);
        if (!ReferenceEquals(results.Ring, Ring)) throw Throw.ForeignColumn();
        return AttachBatch(new MapAdapter<T, TOut, THandler>(handler, results), options);
    }

    private static StageOptions Or(StageOptions? options) => options ?? new StageOptions();

    internal Stage AttachBatch<THandler>(THandler handler, StageOptions? options)
        where THandler : IBatchHandler<T> =>
        AttachOutcome(new PlainBatches<T, THandler>(handler), options);

    internal Stage AttachEvent<THandler>(THandler handler, StageOptions? options)
        where THandler : IEventHandler<T> =>
        Attach(name => new EventStage<T, THandler>(Ring, this, handler, Or(options), name), options);

    private Stage AttachOutcome<THandler>(THandler handler, StageOptions? options)
        where THandler : IOutcomeHandler<T> =>
        Attach(name => new BatchStage<T, THandler>(Ring, this, handler, Or(options), name), options);

    private Stage Attach(Func<string, Stage> create, StageOptions? options)
    {
        Or(options).Check<T>(options?.Name, Ring.Capacity);
        if (Or(options).Dispatch.HasMaxWeight && WeigherOf(Or(options)) is null) throw Throw.NoWeigher(options?.Name);
        return Ring.Attach(create, Or(options));
    }
}
