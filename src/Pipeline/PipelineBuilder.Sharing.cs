using Raceway.Rings;

namespace Raceway.Pipelines;

/// <content>Workers that share their items: each item is handled once, by the next worker that is free.</content>
public sealed partial class PipelineBuilder<TSource, T>
{
    // An output is written down in a byte, and each costs a store every 64 items.
    private const int MostBeside = 128;

    /// <summary>Adds workers that share what comes: each item is handled by one of them, whichever is free.</summary>
    /// <remarks>
    /// <para>Workers are stages of their own, <c>name/0</c>, <c>name/1</c>, …; to follow <paramref name="name"/> is to follow
    /// all of them: what comes behind sees items in order, each after its worker is done with it.</para>
    /// <para><b>Order</b>: a worker's items come in sequence order. Nothing is promised between workers.</para>
    /// <para><b>Cost</b>: a worker takes a chunk with one atomic exchange; chunks shrink as what is left does.</para>
    /// <para><b>Errors</b>: a worker's policy concerns its own items; those it has taken wait for its retries, all others go
    /// on. At a halt, items of the slower workers count as unprocessed, and so do those behind them that others have
    /// done: progress is a sequence, and has no gaps.</para>
    /// </remarks>
    /// <param name="name">Unique; workers add their number.</param>
    /// <param name="workers">How many, 1 or more.</param>
    /// <param name="handler">What each of them does: called by several threads at the same time.</param>
    /// <param name="dispatch">How it is called. Default: <see cref="Dispatch.Batch"/>.</param>
    /// <param name="after">The stages they follow. Default: the one defined before.</param>
    /// <param name="wait">How they wait. Default: as the pipeline does.</param>
    /// <param name="onFault">What happens when one throws. Default: as the pipeline says.</param>
    /// <param name="configure">Everything else.</param>
    public PipelineBuilder<TSource, T> Share(
        string name,
        int workers,
        SlotAction<T> handler,
        Dispatch? dispatch = null,
        IReadOnlyList<string>? after = null,
        Wait? wait = null,
        FaultPolicy? onFault = null,
        Func<StageOptions, StageOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return AddShare(
            name, workers, after, OptionsOf(name, dispatch, wait, onFault, configure),
            _ => (slots, edge, options) => edge.Attach(slots, handler, options));
    }

    /// <inheritdoc cref="Share(string, int, SlotAction{T}, Dispatch?, IReadOnlyList{string}?, Wait?, FaultPolicy?, Func{StageOptions, StageOptions}?)"/>
    public PipelineBuilder<TSource, T> Share(
        string name,
        int workers,
        Func<int, IEventHandler<T>> handlers,
        Dispatch? dispatch = null,
        IReadOnlyList<string>? after = null,
        Wait? wait = null,
        FaultPolicy? onFault = null,
        Func<StageOptions, StageOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(handlers);
        return AddShare(
            name, workers, after, OptionsOf(name, dispatch, wait, onFault, configure),
            number => { IEventHandler<T> handler = Made(handlers, number); return (slots, edge, options) => edge.Attach(slots, handler, options); });
    }

    /// <inheritdoc cref="Share(string, int, Func{int, IEventHandler{T}}, Dispatch?, IReadOnlyList{string}?, Wait?, FaultPolicy?, Func{StageOptions, StageOptions}?)"/>
    public PipelineBuilder<TSource, T> Share(
        string name,
        int workers,
        Func<int, IBatchHandler<T>> handlers,
        Dispatch? dispatch = null,
        IReadOnlyList<string>? after = null,
        Wait? wait = null,
        FaultPolicy? onFault = null,
        Func<StageOptions, StageOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(handlers);
        return AddShare(
            name, workers, after, OptionsOf(name, dispatch, wait, onFault, configure),
            number => { IBatchHandler<T> handler = Made(handlers, number); return (slots, edge, options) => edge.Attach(slots, handler, options); });
    }

    /// <inheritdoc cref="Share(string, int, Func{int, IEventHandler{T}}, Dispatch?, IReadOnlyList{string}?, Wait?, FaultPolicy?, Func{StageOptions, StageOptions}?)"/>
    public PipelineBuilder<TSource, T> Share(
        string name,
        int workers,
        Func<int, IAsyncBatchHandler<T>> handlers,
        Dispatch? dispatch = null,
        IReadOnlyList<string>? after = null,
        Wait? wait = null,
        FaultPolicy? onFault = null,
        Func<StageOptions, StageOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(handlers);
        return AddShare(
            name, workers, after, OptionsOf(name, dispatch, wait, onFault, configure),
            number => { IAsyncBatchHandler<T> handler = Made(handlers, number); return (slots, edge, options) => edge.Attach(slots, handler, options); },
            awaits: true);
    }

    /// <summary>Adds workers that make one <typeparamref name="TOut"/> of each item between them: a parallel map in order.</summary>
    /// <remarks>Results lie at the same sequences, so what follows sees them in order, whoever made them.
    /// <inheritdoc cref="Share(string, int, SlotAction{T}, Dispatch?, IReadOnlyList{string}?, Wait?, FaultPolicy?, Func{StageOptions, StageOptions}?)" path="/remarks"/></remarks>
    /// <param name="name">Unique; workers add their number.</param>
    /// <param name="workers">How many, 1 or more.</param>
    /// <param name="handler">Makes a result: called by several threads at the same time.</param>
    /// <param name="create">Makes the object of each slot of the results, where it is a class whose objects are reused.</param>
    /// <param name="dispatch">How it is called. Default: <see cref="Dispatch.Batch"/>.</param>
    /// <param name="after">The stages they follow. Default: the one defined before.</param>
    /// <param name="wait">How they wait. Default: as the pipeline does.</param>
    /// <param name="onFault">What happens when one throws. Default: as the pipeline says.</param>
    /// <param name="configure">Everything else.</param>
    /// <typeparam name="TOut">The result.</typeparam>
    public PipelineBuilder<TSource, TOut> ParallelMap<TOut>(
        string name,
        int workers,
        SlotMap<T, TOut> handler,
        Func<TOut>? create = null,
        Dispatch? dispatch = null,
        IReadOnlyList<string>? after = null,
        Wait? wait = null,
        FaultPolicy? onFault = null,
        Func<StageOptions, StageOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return AddParallelMap<TOut>(
            name, workers, create, after, OptionsOf(name, dispatch, wait, onFault, configure),
            _ => (slots, results, edge, options) => edge.AttachEvents(slots, new MapEach<T, TOut>(handler, results), options));
    }

    /// <inheritdoc cref="ParallelMap{TOut}(string, int, SlotMap{T, TOut}, Func{TOut}?, Dispatch?, IReadOnlyList{string}?, Wait?, FaultPolicy?, Func{StageOptions, StageOptions}?)"/>
    public PipelineBuilder<TSource, TOut> ParallelMap<TOut>(
        string name,
        int workers,
        Func<int, IMapHandler<T, TOut>> handlers,
        Func<TOut>? create = null,
        Dispatch? dispatch = null,
        IReadOnlyList<string>? after = null,
        Wait? wait = null,
        FaultPolicy? onFault = null,
        Func<StageOptions, StageOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(handlers);
        return AddParallelMap<TOut>(
            name, workers, create, after, OptionsOf(name, dispatch, wait, onFault, configure),
            number => { IMapHandler<T, TOut> handler = Made(handlers, number); return (slots, results, edge, options) => edge.AttachMaps(slots, handler, results, options); });
    }

    /// <summary>
    /// Adds workers that make any number of <typeparamref name="TOut"/> of each item, in a segment of their own: a parallel
    /// map whose results come in the order in which they are ready. With one result an item it is the unordered map.
    /// </summary>
    /// <remarks>
    /// Each worker publishes into a lane of the new ring (<see cref="ProducerKind.Sharded"/>): its results come in its order,
    /// and nothing is promised between workers. Otherwise as <c>Expand</c> and <c>Share</c>.
    /// </remarks>
    /// <param name="name">Unique; workers add their number.</param>
    /// <param name="workers">How many, 1 or more.</param>
    /// <param name="capacity">Slots of the new ring: a power of two, divided between the workers.</param>
    /// <param name="handler">Makes the results: called by several threads at the same time.</param>
    /// <param name="create">Makes the object of each slot of the new ring, where it is a class whose objects are reused.</param>
    /// <param name="dispatch">How it is called. Default: <see cref="Dispatch.Batch"/>.</param>
    /// <param name="after">The stages they follow. Default: the one defined before.</param>
    /// <param name="wait">How they wait. Default: as the pipeline does.</param>
    /// <param name="onFault">What happens when one throws. Default: as the pipeline says.</param>
    /// <param name="configure">Everything else.</param>
    /// <typeparam name="TOut">What is made.</typeparam>
    public PipelineBuilder<TSource, TOut> ParallelExpand<TOut>(
        string name,
        int workers,
        int capacity,
        SlotExpansion<T, TOut> handler,
        Func<TOut>? create = null,
        Dispatch? dispatch = null,
        IReadOnlyList<string>? after = null,
        Wait? wait = null,
        FaultPolicy? onFault = null,
        Func<StageOptions, StageOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        StageGroup group = GroupOf(name, StageGroupKind.Share, workers, nameof(workers));
        var made = new Column<TOut>(new Segment(capacity), new RingOptions<TOut>
        {
            CreateSlot = create, Producers = ProducerKind.Sharded,
        });
        StageOptions options = OptionsOf(name, dispatch, wait, onFault, configure);
        for (int i = 0; i < group.Count; i++)
            AddExpansion($"{name}/{i}", group, new ExpandEach<T, TOut>(handler), made, after, options);
        return new PipelineBuilder<TSource, TOut>(_definition, _source, made);
    }

    private PipelineBuilder<TSource, T> AddShare(
        string name, int workers, IReadOnlyList<string>? after, StageOptions options,
        Func<int, Func<Slots<T>, Edge, StageOptions, Stage>> attachOf, bool awaits = false)
    {
        StageGroup group = GroupOf(name, StageGroupKind.Share, workers, nameof(workers));
        for (int i = 0; i < group.Count; i++)
            _definition.Add(Define($"{name}/{i}", after, options, attachOf(i)) with { Group = group, Awaits = awaits });
        return this;
    }

    private PipelineBuilder<TSource, TOut> AddParallelMap<TOut>(
        string name, int workers, Func<TOut>? create, IReadOnlyList<string>? after, StageOptions options,
        Func<int, Func<Slots<T>, Slots<TOut>, Edge, StageOptions, Stage>> attachOf)
    {
        StageGroup group = GroupOf(name, StageGroupKind.Share, workers, nameof(workers));
        var results = new Column<TOut>(_column.Segment, new RingOptions<TOut> { CreateSlot = create });
        for (int i = 0; i < group.Count; i++) AddMap($"{name}/{i}", group, results, after, options, attachOf(i));
        return new PipelineBuilder<TSource, TOut>(_definition, _source, results);
    }

    private StageGroup GroupOf(string name, StageGroupKind kind, int count, string parameter)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(name);
        return new StageGroup(name, kind, Checked(count, name, parameter, kind == StageGroupKind.Lanes ? "Lanes" : "Workers of a share"));
    }

    private static THandler Made<THandler>(Func<int, THandler> handlers, int number)
        where THandler : class => handlers(number) ?? throw new ArgumentException(
            $"Each stage needs a handler: handlers({number}) returned null. Return one.", nameof(handlers));
}
