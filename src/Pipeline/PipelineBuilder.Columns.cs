using Raceway.Rings;

namespace Raceway.Pipelines;

/// <content>Stages that change the type of the items.</content>
public sealed partial class PipelineBuilder<TSource, T>
{
    /// <summary>Adds a stage that makes one <typeparamref name="TOut"/> of each item, at the same sequence.</summary>
    /// <remarks>
    /// Stages added through the view that is returned read the results, and must follow this one. Stages that read the
    /// items as they were may be added through this view still. An item that is passed over by policy has the default of
    /// <typeparamref name="TOut"/> as its result, or, with <paramref name="create"/>, its slot's object as it was left.
    /// </remarks>
    /// <param name="name">Unique; also the name of its thread.</param>
    /// <param name="handler">Makes the results.</param>
    /// <param name="create">Makes the object of each slot of the results, where it is a class whose objects are reused.</param>
    /// <param name="dispatch">How it is called. Default: <see cref="Dispatch.Batch"/>.</param>
    /// <param name="after">The stages it follows. Default: the one defined before.</param>
    /// <param name="wait">How it waits. Default: as the pipeline does.</param>
    /// <param name="onFault">What happens when it throws. Default: as the pipeline says.</param>
    /// <param name="configure">Everything else.</param>
    /// <typeparam name="TOut">The result.</typeparam>
    public PipelineBuilder<TSource, TOut> Map<TOut>(
        string name,
        SlotMap<T, TOut> handler,
        Func<TOut>? create = null,
        Dispatch? dispatch = null,
        IReadOnlyList<string>? after = null,
        Wait? wait = null,
        FaultPolicy? onFault = null,
        Func<StageOptions, StageOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return AddMap(
            name, create, after, OptionsOf(name, dispatch, wait, onFault, configure),
            (slots, results, edge, options) => edge.AttachEvents(slots, new MapEach<T, TOut>(handler, results), options));
    }

    /// <inheritdoc cref="Map{TOut}(string, SlotMap{T, TOut}, Func{TOut}?, Dispatch?, IReadOnlyList{string}?, Wait?, FaultPolicy?, Func{StageOptions, StageOptions}?)"/>
    public PipelineBuilder<TSource, TOut> Map<TOut>(
        string name,
        IMapHandler<T, TOut> handler,
        Func<TOut>? create = null,
        Dispatch? dispatch = null,
        IReadOnlyList<string>? after = null,
        Wait? wait = null,
        FaultPolicy? onFault = null,
        Func<StageOptions, StageOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return AddMap(
            name, create, after, OptionsOf(name, dispatch, wait, onFault, configure),
            (slots, results, edge, options) => edge.AttachMaps(slots, handler, results, options));
    }

    /// <summary>The same with a struct handler of batches: its calls are direct.</summary>
    /// <inheritdoc cref="Map{TOut}(string, IMapHandler{T, TOut}, Func{TOut}?, Dispatch?, IReadOnlyList{string}?, Wait?, FaultPolicy?, Func{StageOptions, StageOptions}?)"/>
    public PipelineBuilder<TSource, TOut> MapOfBatches<TOut, THandler>(
        string name,
        THandler handler,
        Func<TOut>? create = null,
        Dispatch? dispatch = null,
        IReadOnlyList<string>? after = null,
        Wait? wait = null,
        FaultPolicy? onFault = null,
        Func<StageOptions, StageOptions>? configure = null)
        where THandler : struct, IMapHandler<T, TOut> =>
        AddMap<TOut>(
            name, create, after, OptionsOf(name, dispatch, wait, onFault, configure),
            (slots, results, edge, options) => edge.AttachMaps(slots, handler, results, options));

    /// <summary>
    /// Adds a stage that makes any number of <typeparamref name="TOut"/> of each item, none included: a segment of its own
    /// begins, with its own sequences and its own ring.
    /// </summary>
    /// <remarks>
    /// Stages added through the view that is returned are of the new segment, and follow each other there. Further stages
    /// of this segment may be added through this view. Nothing joins two segments.
    /// <para>When the next ring is full the stage is pending and holds no thread for it. Faults of the new segment end this
    /// one, and the other way round; a drain passes through both in order.</para>
    /// </remarks>
    /// <param name="name">Unique; also the name of its thread.</param>
    /// <param name="capacity">Slots of the new ring: a power of two from 2 to 2³⁰.</param>
    /// <param name="handler">Makes the items.</param>
    /// <param name="create">Makes the object of each slot of the new ring, where it is a class whose objects are reused.</param>
    /// <param name="dispatch">How it is called. Default: <see cref="Dispatch.Batch"/>.</param>
    /// <param name="after">The stages it follows. Default: the one defined before.</param>
    /// <param name="wait">How it waits. Default: as the pipeline does.</param>
    /// <param name="onFault">What happens when it throws. Default: as the pipeline says.</param>
    /// <param name="configure">Everything else.</param>
    /// <typeparam name="TOut">What is made.</typeparam>
    public PipelineBuilder<TSource, TOut> Expand<TOut>(
        string name,
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
        return Expand(name, capacity, new ExpandEach<T, TOut>(handler), create, dispatch, after, wait, onFault, configure);
    }

    /// <inheritdoc cref="Expand{TOut}(string, int, SlotExpansion{T, TOut}, Func{TOut}?, Dispatch?, IReadOnlyList{string}?, Wait?, FaultPolicy?, Func{StageOptions, StageOptions}?)"/>
    public PipelineBuilder<TSource, TOut> Expand<TOut>(
        string name,
        int capacity,
        IExpandHandler<T, TOut> handler,
        Func<TOut>? create = null,
        Dispatch? dispatch = null,
        IReadOnlyList<string>? after = null,
        Wait? wait = null,
        FaultPolicy? onFault = null,
        Func<StageOptions, StageOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        var segment = new Segment(capacity);
        var made = new Column<TOut>(segment, new RingOptions<TOut> { CreateSlot = create });
        AddExpansion(name, null, handler, made, after, OptionsOf(name, dispatch, wait, onFault, configure));
        return new PipelineBuilder<TSource, TOut>(_definition, _source, made);
    }

    private void AddExpansion<TOut>(
        string name, StageGroup? group, IExpandHandler<T, TOut> handler, Column<TOut> made, IReadOnlyList<string>? after,
        StageOptions options)
    {
        Column<T> column = _column;
        _definition.Add(
            new StageDefinition(name, after, options, column, Attach) { Feeds = made.Segment, Group = group });

        Stage Attach(Site site, Edge edge, StageOptions final)
        {
            SingleProducer<TOut> next = site.RingOf<TOut>(made.Segment).CreateProducer();
            return site.Ring.Attach(
                unique => new ExpandStage<T, TOut>(site.Ring, site.Of(column), handler, next, made.Options.CreateSlot, edge, final, unique), final);
        }
    }

    private PipelineBuilder<TSource, TOut> AddMap<TOut>(
        string name,
        Func<TOut>? create,
        IReadOnlyList<string>? after,
        StageOptions options,
        Func<Slots<T>, Slots<TOut>, Edge, StageOptions, Stage> attach)
    {
        var results = new Column<TOut>(_column.Segment, new RingOptions<TOut> { CreateSlot = create });
        AddMap(name, null, results, after, options, attach);
        return new PipelineBuilder<TSource, TOut>(_definition, _source, results);
    }

    private void AddMap<TOut>(
        string name,
        StageGroup? group,
        Column<TOut> results,
        IReadOnlyList<string>? after,
        StageOptions options,
        Func<Slots<T>, Slots<TOut>, Edge, StageOptions, Stage> attach)
    {
        Column<T> column = _column;
        _definition.Add(
            new StageDefinition(
                name, after, options, column,
                (site, edge, final) => attach(site.Of(column), site.Of(results), edge, final))
            {
                Writes = results,
                Group = group,
            });
    }
}
