using Raceway.Rings;

namespace Raceway.Pipelines;

/// <content>What the calls that add stages have in common.</content>
public sealed partial class PipelineBuilder<TSource, T>
{
    private void Add(StageDefinition stage)
    {
        _definition.Add(stage);
        _after = [stage.Group?.Name ?? stage.Name];
    }

    private PipelineBuilder<TSource, T> AddStage(string name, StageKind<T> kind, StageOptions? options)
    {
        Add(Define(name, _after, kind, OptionsOf(name, options)));
        return this;
    }

    private PipelineBuilder<TSource, T> AddWorkers(
        string name, int workers, StageOptions? options, Func<int, StageKind<T>> kindOf)
    {
        StageOptions each = OptionsOf(name, options);
        StageGroup group = GroupOf(name, StageGroupKind.Workers, workers, nameof(workers));
        IReadOnlyList<string> after = _after;
        for (int i = 0; i < group.Count; i++) Add(Define($"{name}/{i}", after, kindOf(i), each) with { Group = group });
        return this;
    }

    private PipelineBuilder<TSource, T> AddLanes<TKey>(
        string name, int lanes, KeySelector<T, TKey> key, StageOptions? options, Func<int, StageKind<T>> kindOf)
        where TKey : notnull, IEquatable<TKey>
    {
        ArgumentNullException.ThrowIfNull(key);
        StageOptions each = OptionsOf(name, options);
        StageGroup group = GroupOf(name, StageGroupKind.Lanes, lanes, nameof(lanes));
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
        router = new StageDefinition(name, _after, options, column, (site, edge, final) => site.Of(column).Subscribe(
            new Router<T, TClassifier>(classifier, edge.Selection, site.OutputsOf(router!)), final))
        {
            Routes = new RouterDefinition(outputs),
            Group = group,
        };
        Add(router);
    }

    private PipelineBuilder<TSource, TOut> AddMap<TOut>(
        string name, StageOptions? options, Func<TOut>? create, int workers,
        Func<int, Func<Slots<T>, Slots<TOut>, Edge, StageOptions, Stage>> attachOf)
    {
        Column<T> column = _column;
        var results = new Column<TOut>(column.Segment, new RingOptions<TOut> { CreateSlot = create });
        AddBeside(name, workers, options, number =>
        {
            Func<Slots<T>, Slots<TOut>, Edge, StageOptions, Stage> attach = attachOf(number);
            return (site, edge, final) => attach(site.Of(column), site.Of(results), edge, final);
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
            return (site, edge, final) =>
            {
                SingleProducer<TOut> next = site.RingOf<TOut>(made.Segment).CreateProducer();
                return site.Ring.Attach(
                    unique => new ExpandStage<T, TOut>(site.Ring, site.Of(column), handler, next, made.Options.CreateSlot, edge, final, unique),
                    final);
            };
        }, stage => stage with { Feeds = made.Segment });
        return new PipelineBuilder<TSource, TOut>(_definition, _source, made);
    }

    // One stage, or several workers that share the items; all write the same column or feed the same segment.
    private void AddBeside(
        string name, int workers, StageOptions? options, Func<int, Func<Site, Edge, StageOptions, Stage>> attachOf,
        Func<StageDefinition, StageDefinition> complete)
    {
        StageOptions each = OptionsOf(name, options);
        IReadOnlyList<string> after = _after;
        if (workers == 1)
        {
            Add(complete(new StageDefinition(name, after, each, _column, attachOf(0))));
            return;
        }

        StageGroup group = GroupOf(name, StageGroupKind.Workers, workers, nameof(workers));
        for (int i = 0; i < group.Count; i++)
            Add(complete(new StageDefinition($"{name}/{i}", after, each, _column, attachOf(i)) { Group = group }));
    }

    private StageDefinition Define(string name, IReadOnlyList<string> after, StageKind<T> kind, StageOptions options)
    {
        Column<T> column = _column;
        return new StageDefinition(
            name, after, options, column, (site, edge, final) => kind.Attach(new StageSite<T>(site.Of(column), edge, final)))
        {
            Awaits = kind.Awaits,
        };
    }

    private static Func<Slots<T>, Slots<TOut>, Edge, StageOptions, Stage> Attaching<TOut>(IMapHandler<T, TOut> handler) =>
        (slots, results, edge, final) => edge.AttachBatches(slots, new MapAdapter<T, TOut, IMapHandler<T, TOut>>(handler, results), final);

    // What the builder itself decides must not be said twice.
    private StageOptions OptionsOf(string name, StageOptions? options)
    {
        ArgumentNullException.ThrowIfNull(name);
        if (options is null) return new StageOptions();
        if (options.Name is not null || options.After is not [] || options.Drive != Drive.OwnThread)
        {
            _definition.Problems.Add(
                $"The builder gives a stage its name, what it follows and its driver: stage='{name}', Name='{options.Name}', "
                + $"After={options.After?.Count}, Drive={options.Drive}. Leave them out of its options; use After, or Plan.Manual.");
        }

        return options with { Name = null, After = [], Drive = Drive.OwnThread };
    }

    private StageGroup GroupOf(string name, StageGroupKind kind, int count, string parameter)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(name);
        return new StageGroup(name, kind, Checked(count, name, parameter, kind == StageGroupKind.Lanes ? "Lanes" : "Workers"));
    }

    // A number in range: what follows is defined all the same, so that all that is wrong is reported at once.
    private int Checked(int count, string name, string parameter, string what)
    {
        if (count is >= 1 and <= MostBeside) return count;
        _definition.Problems.Add($"{what} must be between 1 and {MostBeside}: name='{name}', {parameter}={count}. Use a number in between.");
        return Math.Clamp(count, 1, MostBeside);
    }

    private static THandler Made<THandler>(Func<int, THandler> handlers, int number)
        where THandler : class => Checked(handlers(number) ?? throw new ArgumentException(
            $"Each stage needs a handler: handlers({number}) returned null. Return one.", nameof(handlers)));

    // A parameter that is an interface takes a struct too, and copies it into an object that its caller never sees.
    private static THandler Checked<THandler>(THandler handler)
        where THandler : class
    {
        ArgumentNullException.ThrowIfNull(handler);
        return handler is not ValueType ? handler : throw new ArgumentException(
            $"A handler given as an interface must be a class: {handler.GetType().Name} is a struct, and would be copied. Make it "
            + "a class, or give it by a factory of StageKind.", nameof(handler));
    }
}
