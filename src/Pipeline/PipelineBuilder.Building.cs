using Raceway.Rings;

namespace Raceway.Pipelines;

/// <content>Stages that change the type of the items, what holds for the whole pipeline, and its building.</content>
public sealed partial class PipelineBuilder<TSource, T>
{
    /// <summary>Adds a stage that makes one <typeparamref name="TOut"/> of each item, at the same sequence.</summary>
    /// <remarks>
    /// Stages added through the view that is returned read the results, and must follow this one. Stages that read the
    /// items as they were may be added through this view still. An item that is passed over by policy has the default of
    /// <typeparamref name="TOut"/> as its result, or, with <paramref name="create"/>, its slot's object as it was left.
    /// <para>Several workers make it a parallel map: results lie at the same sequences, so what follows sees them in order,
    /// whichever worker made them. Workers are as those of <c>Workers</c>.</para>
    /// </remarks>
    /// <param name="name">Unique; also the name of its thread. Several workers add their number.</param>
    /// <param name="handler">Makes the results. Several workers call it at the same time.</param>
    /// <param name="options">As of <see cref="Stage(string, SlotAction{T}, StageOptions?)"/>.</param>
    /// <param name="create">Makes the object of each slot of the results, where it is a class and its objects are reused.</param>
    /// <param name="workers">How many share the items.</param>
    /// <typeparam name="TOut">The result.</typeparam>
    public PipelineBuilder<TSource, TOut> Map<TOut>(
        string name, SlotMap<T, TOut> handler, StageOptions? options = null, Func<TOut>? create = null, int workers = 1)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return AddMap(
            name, options, create, workers,
            _ => (slots, results, input, final) => input.AttachEvents(slots, new MapEach<T, TOut>(handler, results), final));
    }

    /// <summary>The same by a handler that maps a batch at a time.</summary>
    /// <inheritdoc cref="Map{TOut}(string, SlotMap{T, TOut}, StageOptions?, Func{TOut}?, int)"/>
    public PipelineBuilder<TSource, TOut> Map<TOut>(
        string name, IMapHandler<T, TOut> handler, StageOptions? options = null, Func<TOut>? create = null)
    {
        GivenHandlers.NotBoxed(handler);
        return AddMap(name, options, create, 1, _ => Attaching(handler));
    }

    /// <summary>The same by several workers, each with a handler of its own that maps a batch at a time.</summary>
    /// <inheritdoc cref="Map{TOut}(string, SlotMap{T, TOut}, StageOptions?, Func{TOut}?, int)"/>
    /// <param name="name">Unique; the workers add their number.</param>
    /// <param name="workers">How many share the items.</param>
    /// <param name="handlers">Makes the handler of each worker, from 0 on.</param>
    /// <param name="options">As of <see cref="Stage(string, SlotAction{T}, StageOptions?)"/>.</param>
    /// <param name="create">Makes the object of each slot of the results, where it is a class and its objects are reused.</param>
    public PipelineBuilder<TSource, TOut> Map<TOut>(
        string name, int workers, Func<int, IMapHandler<T, TOut>> handlers, StageOptions? options = null, Func<TOut>? create = null)
    {
        ArgumentNullException.ThrowIfNull(handlers);
        return AddMap(name, options, create, workers, number => Attaching(GivenHandlers.Made(handlers, number)));
    }

    /// <summary>
    /// Adds a stage that makes any number of <typeparamref name="TOut"/> of each item, none included: a segment of its own
    /// begins, with its own sequences and its own ring.
    /// </summary>
    /// <remarks>
    /// Stages added through the view that is returned are of the new segment, and follow each other there. Further stages
    /// of this segment may be added through this view. Nothing joins two segments.
    /// <para>When the next ring is full the stage is pending and holds no thread for it. Faults of the new segment end this
    /// one, and the other way round; a drain passes through both in order.</para>
    /// <para>Several workers publish into a lane each of the new ring (<see cref="ProducerKind.Sharded"/>): a worker's results
    /// come in its order, and nothing is promised between workers. With one result an item it is the unordered map.</para>
    /// </remarks>
    /// <param name="name">Unique; also the name of its thread. Several workers add their number.</param>
    /// <param name="capacity">Slots of the new ring: a power of two from 2 to 2³⁰, divided between the workers.</param>
    /// <param name="handler">Makes the items. Several workers call it at the same time.</param>
    /// <param name="options">As of <see cref="Stage(string, SlotAction{T}, StageOptions?)"/>.</param>
    /// <param name="create">Makes the object of each slot of the new ring, where it is a class and its objects are reused.</param>
    /// <param name="workers">How many share the items.</param>
    /// <typeparam name="TOut">What is made.</typeparam>
    public PipelineBuilder<TSource, TOut> Expand<TOut>(
        string name, int capacity, SlotExpansion<T, TOut> handler, StageOptions? options = null, Func<TOut>? create = null,
        int workers = 1)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return AddExpansion(name, capacity, options, create, workers, () => new ExpandEach<T, TOut>(handler));
    }

    /// <summary>The same by an object of a class.</summary>
    /// <inheritdoc cref="Expand{TOut}(string, int, SlotExpansion{T, TOut}, StageOptions?, Func{TOut}?, int)"/>
    public PipelineBuilder<TSource, TOut> Expand<TOut>(
        string name, int capacity, IExpandHandler<T, TOut> handler, StageOptions? options = null, Func<TOut>? create = null)
    {
        GivenHandlers.NotBoxed(handler);
        return AddExpansion(name, capacity, options, create, 1, () => handler);
    }

    /// <summary>How stages and producers wait that do not say otherwise. Default: <see cref="Wait.Park"/>.</summary>
    public PipelineBuilder<TSource, T> WaitWith(Wait wait)
    {
        ArgumentNullException.ThrowIfNull(wait);
        _source.Options = _source.Options with { Wait = wait, ProducerWait = wait };
        return this;
    }

    /// <summary>What happens when a stage throws that does not say otherwise. Default: <see cref="FaultPolicy.Stop"/>.</summary>
    public PipelineBuilder<TSource, T> OnFault(FaultPolicy policy)
    {
        ArgumentNullException.ThrowIfNull(policy);
        _definition.OnFault = policy;
        return this;
    }

    /// <summary>Lets several threads publish, each through a producer of its own.</summary>
    public PipelineBuilder<TSource, T> MultiProducer(int maxProducers = 16) => With(ProducerKind.Multi, maxProducers);

    /// <summary>
    /// Lets several threads publish, each through a lane of its own (<see cref="ProducerKind.Sharded"/>): at the speed of a
    /// single producer each, with no order between them.
    /// </summary>
    public PipelineBuilder<TSource, T> Sharded(int maxProducers = 16) => With(ProducerKind.Sharded, maxProducers);

    /// <summary>Everything else about the ring that producers publish into: payloads, padding, timeouts, …</summary>
    public PipelineBuilder<TSource, T> Configure(Func<RingOptions<TSource>, RingOptions<TSource>> configure)
    {
        ArgumentNullException.ThrowIfNull(configure);
        _source.Options = configure(_source.Options) ?? throw new ArgumentException(
            "Options must not be null: configure returned null. Return what it was given, changed by `with`.", nameof(configure));
        return this;
    }

    /// <summary>Builds the pipeline, not started. Producers may publish up to the capacity.</summary>
    /// <param name="plan">How the stages are driven.</param>
    /// <exception cref="PipelineBuildException">The definition is wrong; the message has all problems.</exception>
    public Pipeline<TSource> Build(Plan plan = Plan.Auto) => PipelineAssembly.Build(_definition, _source, plan);

    /// <summary>Builds the pipeline under <paramref name="settings"/>, not started.</summary>
    /// <remarks>They become the definition's own: building it again without any keeps them.</remarks>
    /// <param name="settings">What differs from the definition.</param>
    /// <exception cref="PipelineBuildException">The definition, or what the settings make of it, is wrong; the message has all
    /// problems.</exception>
    public Pipeline<TSource> Build(PipelineSettings settings)
    {
        ArgumentNullException.ThrowIfNull(settings);
        _definition.Apply(settings, _source);
        return Build(settings.Plan);
    }

    /// <summary><see cref="Build(Plan)"/>, and start it: returns when every stage's start hook has returned.</summary>
    /// <exception cref="PipelineBuildException">The definition is wrong; the message has all problems.</exception>
    public Pipeline<TSource> Run(Plan plan = Plan.Auto) => Started(Build(plan));

    /// <summary><see cref="Build(PipelineSettings)"/>, and start it: returns when every stage's start hook has returned.</summary>
    /// <inheritdoc cref="Build(PipelineSettings)"/>
    public Pipeline<TSource> Run(PipelineSettings settings) => Started(Build(settings));

    /// <summary>A view on a segment that takes what <paramref name="sources"/> end in.</summary>
    internal static PipelineBuilder<TSource, T> Merged(
        string name, int capacity, IReadOnlyList<PipelineBuilder<TSource, T>> sources)
    {
        var definition = new PipelineDefinition();
        foreach (PipelineDefinition source in sources.Select(source => source._definition).Distinct()) definition.Take(source);
        var segment = new Segment(capacity);
        var merged = new Column<T>(segment, new RingOptions<T> { CreateSlot = sources[0]._column.Options.CreateSlot });
        for (int i = 0; i < sources.Count; i++)
        {
            Column<T> column = sources[i]._column;
            definition.Add(
                new StageDefinition(
                    $"{name} {i + 1}", [], new StageOptions(), column,
                    (context, _, options) => column.Link(context, context.RingOf<T>(segment), options))
                {
                    Feeds = segment,
                    Moves = true,
                });
        }

        return new PipelineBuilder<TSource, T>(definition, sources[0]._source, merged);
    }

    private static Pipeline<TSource> Started(Pipeline<TSource> pipeline)
    {
        pipeline.StartAsync().GetAwaiter().GetResult();
        return pipeline;
    }

    private PipelineBuilder<TSource, T> With(ProducerKind kind, int maxProducers)
    {
        _source.Options = _source.Options with { Producers = kind, MaxProducers = maxProducers };
        return this;
    }

    private void Add(StageDefinition stage)
    {
        _definition.Add(stage);
        _after = [stage.Group?.Name ?? stage.Name];
    }

    private PipelineBuilder<TSource, T> AddStage(string name, StageKind<T> kind, StageOptions? options)
    {
        Add(Define(name, _after, kind, _definition.OptionsOf(name, options)));
        return this;
    }

    private PipelineBuilder<TSource, T> AddWorkers(
        string name, int workers, StageOptions? options, Func<int, StageKind<T>> kindOf)
    {
        StageOptions each = _definition.OptionsOf(name, options);
        StageGroup group = _definition.GroupOf(name, StageGroupKind.Workers, workers, nameof(workers));
        IReadOnlyList<string> after = _after;
        for (int i = 0; i < group.Count; i++) Add(Define($"{name}/{i}", after, kindOf(i), each) with { Group = group });
        return this;
    }

    private PipelineBuilder<TSource, T> AddLanes<TKey>(
        string name, int lanes, KeySelector<T, TKey> key, StageOptions? options, Func<int, StageKind<T>> kindOf)
        where TKey : notnull, IEquatable<TKey>
    {
        ArgumentNullException.ThrowIfNull(key);
        StageOptions each = _definition.OptionsOf(name, options);
        StageGroup group = _definition.GroupOf(name, StageGroupKind.Lanes, lanes, nameof(lanes));
        string[] outputs = [.. Enumerable.Range(0, group.Count).Select(lane => $"{name}/route:{lane}")];
        // What is said of calls is said of the lanes' handlers.
        var routes = new StageOptions { Wait = each.Wait, OnFault = each.OnFault };
        AddRouter($"{name}/route", group, outputs, new KeyClassifier<T, TKey>(key, group.Count), routes);
        for (int i = 0; i < group.Count; i++)
            Add(Define($"{name}/{i}", [outputs[i]], kindOf(i), each) with { Group = group });
        return this;
    }

    private void AddRouter<TClassifier>(
        string name, StageGroup? group, IReadOnlyList<string?> outputs, TClassifier classifier, StageOptions options)
        where TClassifier : IClassifier<T>
    {
        Column<T> column = _column;
        StageDefinition? router = null;
        router = new StageDefinition(name, _after, options, column, (context, input, final) => context.Of(column).Subscribe(
            new Router<T, TClassifier>(classifier, input.Selection, context.OutputsOf(router!)), final))
        {
            Routes = new RouterDefinition(outputs),
            Group = group,
        };
        Add(router);
    }

    private PipelineBuilder<TSource, TOut> AddMap<TOut>(
        string name, StageOptions? options, Func<TOut>? create, int workers,
        Func<int, Func<Slots<T>, Slots<TOut>, StageInput, StageOptions, Stage>> attachOf)
    {
        Column<T> column = _column;
        var results = new Column<TOut>(column.Segment, new RingOptions<TOut> { CreateSlot = create });
        AddBeside(name, workers, options, number =>
        {
            Func<Slots<T>, Slots<TOut>, StageInput, StageOptions, Stage> attach = attachOf(number);
            return (context, input, final) => attach(context.Of(column), context.Of(results), input, final);
        }, stage => stage with { Writes = results });
        return new PipelineBuilder<TSource, TOut>(_definition, _source, results, _after);
    }

    private PipelineBuilder<TSource, TOut> AddExpansion<TOut>(
        string name, int capacity, StageOptions? options, Func<TOut>? create, int workers, Func<IExpandHandler<T, TOut>> handlerOf)
    {
        Column<T> column = _column;
        var made = new Column<TOut>(new Segment(capacity), new RingOptions<TOut>
        {
            CreateSlot = create, Producers = workers == 1 ? ProducerKind.Single : ProducerKind.Sharded,
        });
        AddBeside(name, workers, options, _ =>
        {
            IExpandHandler<T, TOut> handler = handlerOf();
            return (context, input, final) =>
            {
                SingleProducer<TOut> next = context.RingOf<TOut>(made.Segment).CreateProducer();
                return context.Ring.Attach(
                    unique => new ExpandStage<T, TOut>(context.Ring, context.Of(column), handler, next, made.Options.CreateSlot, input, final, unique),
                    final);
            };
        }, stage => stage with { Feeds = made.Segment });
        return new PipelineBuilder<TSource, TOut>(_definition, _source, made);
    }

    // One stage, or several workers that share the items; all write the same column or feed the same segment.
    private void AddBeside(
        string name, int workers, StageOptions? options, Func<int, Func<RingContext, StageInput, StageOptions, Stage>> attachOf,
        Func<StageDefinition, StageDefinition> complete)
    {
        StageOptions each = _definition.OptionsOf(name, options);
        IReadOnlyList<string> after = _after;
        if (workers == 1)
        {
            Add(complete(new StageDefinition(name, after, each, _column, attachOf(0))));
            return;
        }

        StageGroup group = _definition.GroupOf(name, StageGroupKind.Workers, workers, nameof(workers));
        for (int i = 0; i < group.Count; i++)
            Add(complete(new StageDefinition($"{name}/{i}", after, each, _column, attachOf(i)) { Group = group }));
    }

    private StageDefinition Define(string name, IReadOnlyList<string> after, StageKind<T> kind, StageOptions options)
    {
        Column<T> column = _column;
        return new StageDefinition(
            name, after, options, column, (context, input, final) => kind.AttachTo(new StageSite<T>(context.Of(column), input, final)))
        {
            Awaits = kind.Awaits,
        };
    }

    private static Func<Slots<T>, Slots<TOut>, StageInput, StageOptions, Stage> Attaching<TOut>(IMapHandler<T, TOut> handler) =>
        (slots, results, input, final) => input.AttachBatches(slots, new MapAdapter<T, TOut, IMapHandler<T, TOut>>(handler, results), final);
}
