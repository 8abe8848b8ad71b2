using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>The definition of a pipeline: named stages, what each follows, and how each is called.</summary>
/// <remarks>
/// A stage follows the one defined before it, unless <c>after</c> says otherwise: several names join, an empty list reads
/// what producers publish. Nothing runs before <see cref="Run(Plan)"/>; mistakes are reported there, all at once. A definition may
/// be run more than once; class handlers are then shared by the runs.
/// <para>This is a view on the definition, for items of one type: <c>Map</c> and <c>Expand</c> change the definition, and
/// return the view for what they make. Stages may be added through either view from then on.</para>
/// <para><b>Threads</b>: one at a time, over all views.</para>
/// </remarks>
/// <typeparam name="TSource">What producers publish.</typeparam>
/// <typeparam name="T">What stages added here are called for.</typeparam>
public sealed partial class PipelineBuilder<TSource, T>
{
    private readonly PipelineDefinition _definition;
    private readonly Column<TSource> _source;
    private readonly Column<T> _column;

    internal PipelineBuilder(PipelineDefinition definition, Column<TSource> source, Column<T> column)
    {
        _definition = definition;
        _source = source;
        _column = column;
    }

    /// <summary>Adds a stage that is called an item at a time.</summary>
    /// <param name="name">Unique; also the name of its thread.</param>
    /// <param name="handler">What it does.</param>
    /// <param name="dispatch">How it is called. Default: <see cref="Dispatch.Batch"/>.</param>
    /// <param name="after">The stages it follows. Default: the one defined before.</param>
    /// <param name="wait">How it waits. Default: as the pipeline does.</param>
    /// <param name="onFault">What happens when it throws. Default: as the pipeline says.</param>
    /// <param name="configure">Everything else.</param>
    public PipelineBuilder<TSource, T> Stage(
        string name,
        SlotAction<T> handler,
        Dispatch? dispatch = null,
        IReadOnlyList<string>? after = null,
        Wait? wait = null,
        FaultPolicy? onFault = null,
        Func<StageOptions, StageOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Add(
            name, after, dispatch, wait, onFault, configure, (slots, edge, options) => edge.Attach(slots, handler, options));
    }

    /// <inheritdoc cref="Stage(string, SlotAction{T}, Dispatch?, IReadOnlyList{string}?, Wait?, FaultPolicy?, Func{StageOptions, StageOptions}?)"/>
    public PipelineBuilder<TSource, T> Stage(
        string name,
        IEventHandler<T> handler,
        Dispatch? dispatch = null,
        IReadOnlyList<string>? after = null,
        Wait? wait = null,
        FaultPolicy? onFault = null,
        Func<StageOptions, StageOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Add(
            name, after, dispatch, wait, onFault, configure, (slots, edge, options) => edge.Attach(slots, handler, options));
    }

    /// <summary>Adds a stage that is called a batch at a time.</summary>
    /// <inheritdoc cref="Stage(string, SlotAction{T}, Dispatch?, IReadOnlyList{string}?, Wait?, FaultPolicy?, Func{StageOptions, StageOptions}?)"/>
    public PipelineBuilder<TSource, T> Stage(
        string name,
        IBatchHandler<T> handler,
        Dispatch? dispatch = null,
        IReadOnlyList<string>? after = null,
        Wait? wait = null,
        FaultPolicy? onFault = null,
        Func<StageOptions, StageOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Add(
            name, after, dispatch, wait, onFault, configure, (slots, edge, options) => edge.Attach(slots, handler, options));
    }

    /// <summary>Adds a stage whose handler awaits.</summary>
    /// <inheritdoc cref="Stage(string, SlotAction{T}, Dispatch?, IReadOnlyList{string}?, Wait?, FaultPolicy?, Func{StageOptions, StageOptions}?)"/>
    public PipelineBuilder<TSource, T> Stage(
        string name,
        IAsyncBatchHandler<T> handler,
        Dispatch? dispatch = null,
        IReadOnlyList<string>? after = null,
        Wait? wait = null,
        FaultPolicy? onFault = null,
        Func<StageOptions, StageOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Add(
            name, after, dispatch, wait, onFault, configure,
            (slots, edge, options) => edge.Attach(slots, handler, options), awaits: true);
    }

    /// <summary>Adds a stage with a struct handler of batches: its calls are direct.</summary>
    /// <inheritdoc cref="Stage(string, SlotAction{T}, Dispatch?, IReadOnlyList{string}?, Wait?, FaultPolicy?, Func{StageOptions, StageOptions}?)"/>
    public PipelineBuilder<TSource, T> StageOfBatches<THandler>(
        string name,
        THandler handler,
        Dispatch? dispatch = null,
        IReadOnlyList<string>? after = null,
        Wait? wait = null,
        FaultPolicy? onFault = null,
        Func<StageOptions, StageOptions>? configure = null)
        where THandler : struct, IBatchHandler<T> =>
        Add(
            name, after, dispatch, wait, onFault, configure, (slots, edge, options) => edge.AttachBatches(slots, handler, options));

    /// <summary>Adds a stage with a struct handler of single items: its calls are direct.</summary>
    /// <inheritdoc cref="Stage(string, SlotAction{T}, Dispatch?, IReadOnlyList{string}?, Wait?, FaultPolicy?, Func{StageOptions, StageOptions}?)"/>
    public PipelineBuilder<TSource, T> StageOfEvents<THandler>(
        string name,
        THandler handler,
        Dispatch? dispatch = null,
        IReadOnlyList<string>? after = null,
        Wait? wait = null,
        FaultPolicy? onFault = null,
        Func<StageOptions, StageOptions>? configure = null)
        where THandler : struct, IEventHandler<T> =>
        Add(
            name, after, dispatch, wait, onFault, configure, (slots, edge, options) => edge.AttachEvents(slots, handler, options));

    internal Segment Segment => _column.Segment;

    /// <summary>A view on a segment that takes what <paramref name="sources"/> end in.</summary>
    internal static PipelineBuilder<TSource, T> Merged(
        string name, int capacity, IReadOnlyList<PipelineBuilder<TSource, T>> sources)
    {
        var definition = new PipelineDefinition();
        foreach (PipelineDefinition source in sources.Select(source => source._definition).Distinct())
        {
            foreach (StageDefinition stage in source.Stages) definition.Add(stage);
            definition.Problems.AddRange(source.Problems);
        }

        var segment = new Segment(capacity);
        var merged = new Column<T>(segment, new RingOptions<T> { CreateSlot = sources[0]._column.Options.CreateSlot });
        for (int i = 0; i < sources.Count; i++)
        {
            Column<T> column = sources[i]._column;
            definition.Add(
                new StageDefinition(
                    $"{name} {i + 1}", null, new StageOptions(), column,
                    (site, _, options) => column.Link(site, site.RingOf<T>(segment), options))
                {
                    Feeds = segment,
                    Moves = true,
                });
        }

        return new PipelineBuilder<TSource, T>(definition, sources[0]._source, merged);
    }

    private PipelineBuilder<TSource, T> Add(
        string name,
        IReadOnlyList<string>? after,
        Dispatch? dispatch,
        Wait? wait,
        FaultPolicy? onFault,
        Func<StageOptions, StageOptions>? configure,
        Func<Slots<T>, Edge, StageOptions, Stage> attach,
        bool awaits = false)
    {
        _definition.Add(
            Define(name, after, OptionsOf(name, dispatch, wait, onFault, configure), attach) with { Awaits = awaits });
        return this;
    }

    private StageDefinition Define(
        string name, IReadOnlyList<string>? after, StageOptions options, Func<Slots<T>, Edge, StageOptions, Stage> attach)
    {
        Column<T> column = _column;
        return new StageDefinition(
            name, after, options, column, (site, edge, final) => attach(site.Of(column), edge, final));
    }

    private StageOptions OptionsOf(
        string name, Dispatch? dispatch, Wait? wait, FaultPolicy? onFault, Func<StageOptions, StageOptions>? configure)
    {
        ArgumentNullException.ThrowIfNull(name);
        var options = new StageOptions
        {
            Dispatch = dispatch ?? Dispatch.Batch(),
            Wait = wait,
            OnFault = onFault ?? _definition.OnFault,
        };
        return configure is null ? options : Configured(configure, options);
    }

    private static TOptions Configured<TOptions>(Func<TOptions, TOptions> configure, TOptions options) =>
        configure(options) ?? throw new ArgumentException(
            "Options must not be null: configure returned null. Return what it was given, changed by `with`.", nameof(configure));
}
