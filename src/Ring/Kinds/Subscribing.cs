namespace Raceway.Rings;

/// <summary>Attaches stages to a column of slots.</summary>
/// <example>
/// <code>
/// Slots&lt;decimal> prices = ring.AddColumn&lt;decimal>();
/// Stage price = ring.Slots.Subscribe(new Price(), prices);
/// prices.Subscribe(static (ref decimal price) => Console.WriteLine(price), new StageOptions { After = [price] });
///
/// internal sealed class Price : IMapHandler&lt;Order, decimal>
/// {
///     public void OnBatch(Batch&lt;Order> source, Batch&lt;decimal> results)
///     {
///         for (int i = 0; i &lt; source.Count; i++) results[i] = source[i].Pieces * 0.25m;
///     }
/// }
/// </code>
/// </example>
public static class Subscribing
{
    /// <summary>Attaches a stage that is called a batch at a time.</summary>
    /// <exception cref="ArgumentException">The options contradict the ring.</exception>
    /// <exception cref="InvalidOperationException">The ring is draining or has ended.</exception>
    public static Stage Subscribe<T>(this Slots<T> column, IBatchHandler<T> handler, StageOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return column.AttachOutcome(new PlainBatches<T>(handler), options);
    }

    /// <summary>Attaches a stage that is called an item at a time.</summary>
    /// <inheritdoc cref="Subscribe{T}(Slots{T}, IBatchHandler{T}, StageOptions?)"/>
    public static Stage Subscribe<T>(this Slots<T> column, IEventHandler<T> handler, StageOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        // For a class as the item, shared code would look the wrapper itself up at every event.
        return typeof(T).IsValueType
            ? column.AttachEvent(new ClassHandler<T>(handler), options)
            : column.AttachEvent(handler, options);
    }

    /// <summary>Attaches a stage that is called an item at a time.</summary>
    /// <inheritdoc cref="Subscribe{T}(Slots{T}, IBatchHandler{T}, StageOptions?)"/>
    public static Stage Subscribe<T>(this Slots<T> column, SlotAction<T> handler, StageOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return column.Attach(name => new DelegateStage<T>(column.Ring, column, handler, Or(options), name), options);
    }

    /// <summary>Attaches a stage with a handler that awaits.</summary>
    /// <inheritdoc cref="Subscribe{T}(Slots{T}, IBatchHandler{T}, StageOptions?)"/>
    public static Stage Subscribe<T>(this Slots<T> column, IAsyncBatchHandler<T> handler, StageOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return column.Attach(
            name => new AsyncStage<T>(column.Ring, column, new PlainAsyncCall<T>(handler), Or(options), name), options);
    }

    /// <summary>Attaches a stage with a handler that returns what has become of its batch.</summary>
    /// <inheritdoc cref="Subscribe{T}(Slots{T}, IBatchHandler{T}, StageOptions?)"/>
    public static Stage Subscribe<T>(this Slots<T> column, IOutcomeHandler<T> handler, StageOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return column.AttachOutcome(handler, options);
    }

    /// <summary>Attaches a stage with a handler that awaits, and returns what has become of its batch.</summary>
    /// <inheritdoc cref="Subscribe{T}(Slots{T}, IBatchHandler{T}, StageOptions?)"/>
    public static Stage Subscribe<T>(this Slots<T> column, IAsyncOutcomeHandler<T> handler, StageOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return column.Attach(
            name => new AsyncStage<T>(column.Ring, column, new OutcomeAsyncCall<T>(handler), Or(options), name), options);
    }

    /// <summary>Attaches a stage that turns this column's items into those of <paramref name="results"/>.</summary>
    /// <param name="column">What it reads.</param>
    /// <param name="handler">Writes the results.</param>
    /// <param name="results">A column of the same ring, see <see cref="RingColumns.AddColumn{T}"/>.</param>
    /// <param name="options">How it is attached. Stages over the results follow this one.</param>
    /// <inheritdoc cref="Subscribe{T}(Slots{T}, IBatchHandler{T}, StageOptions?)"/>
    public static Stage Subscribe<T, TOut>(
        this Slots<T> column, IMapHandler<T, TOut> handler, Slots<TOut> results, StageOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return column.AttachMap(handler, results, options);
    }

    /// <summary>Attaches a struct handler of batches: its calls are direct and may be inlined.</summary>
    /// <inheritdoc cref="Subscribe{T}(Slots{T}, IBatchHandler{T}, StageOptions?)"/>
    public static Stage SubscribeBatches<T, THandler>(this Slots<T> column, THandler handler, StageOptions? options = null)
        where THandler : struct, IBatchHandler<T> => column.AttachBatch(handler, options);

    /// <summary>Attaches a struct handler of single items: its calls are direct and may be inlined.</summary>
    /// <inheritdoc cref="Subscribe{T}(Slots{T}, IBatchHandler{T}, StageOptions?)"/>
    public static Stage SubscribeEvents<T, THandler>(this Slots<T> column, THandler handler, StageOptions? options = null)
        where THandler : struct, IEventHandler<T> => column.AttachEvent(handler, options);

    /// <summary>Attaches a struct handler that maps: its calls are direct and may be inlined.</summary>
    /// <inheritdoc cref="Subscribe{T, TOut}(Slots{T}, IMapHandler{T, TOut}, Slots{TOut}, StageOptions?)"/>
    public static Stage SubscribeMaps<T, TOut, THandler>(
        this Slots<T> column, THandler handler, Slots<TOut> results, StageOptions? options = null)
        where THandler : struct, IMapHandler<T, TOut> => column.AttachMap(handler, results, options);

    /// <summary>Attaches a struct handler that returns what has become of its batch: its calls are direct and may be inlined.</summary>
    /// <inheritdoc cref="Subscribe{T}(Slots{T}, IBatchHandler{T}, StageOptions?)"/>
    public static Stage SubscribeOutcomes<T, THandler>(this Slots<T> column, THandler handler, StageOptions? options = null)
        where THandler : struct, IOutcomeHandler<T> => column.AttachOutcome(handler, options);

    /// <summary>What weighs the items of this column: what the options say, or the column itself.</summary>
    internal static ItemWeight<T>? WeigherOf<T>(this Slots<T> column, StageOptions options) =>
        options.Weigher is { } weigher ? weigher.For<T>() : column.Weigh;

    private static Stage AttachMap<T, TOut, THandler>(
        this Slots<T> column, THandler handler, Slots<TOut> results, StageOptions? options)
        where THandler : IMapHandler<T, TOut>
    {
        ArgumentNullException.ThrowIfNull(column);
        ArgumentNullException.ThrowIfNull(results);
        if (!ReferenceEquals(results.Ring, column.Ring)) throw SlotErrors.ForeignColumn();
        return column.AttachBatch(new MapAdapter<T, TOut, THandler>(handler, results), options);
    }

    internal static Stage AttachBatch<T, THandler>(this Slots<T> column, THandler handler, StageOptions? options)
        where THandler : IBatchHandler<T> =>
        column.AttachOutcome(new PlainBatches<T, THandler>(handler), options);

    internal static Stage AttachEvent<T, THandler>(this Slots<T> column, THandler handler, StageOptions? options)
        where THandler : IEventHandler<T> =>
        column.Attach(name => new EventStage<T, THandler>(column.Ring, column, handler, Or(options), name), options);

    private static Stage AttachOutcome<T, THandler>(this Slots<T> column, THandler handler, StageOptions? options)
        where THandler : IOutcomeHandler<T> =>
        column.Attach(name => new BatchStage<T, THandler>(column.Ring, column, handler, Or(options), name), options);

    private static Stage Attach<T>(this Slots<T> column, Func<string, Stage> create, StageOptions? options)
    {
        ArgumentNullException.ThrowIfNull(column);
        Or(options).Check<T>(options?.Name, column.Ring.Capacity);
        if (Or(options).Dispatch.HasMaxWeight && column.WeigherOf(Or(options)) is null) throw StageErrors.NoWeigher(options?.Name);
        return column.Ring.Attach(create, Or(options));
    }

    private static StageOptions Or(StageOptions? options) => options ?? new StageOptions();
}
