using Raceway.Rings;

namespace Raceway.Pipelines;

/// <content>Stages that are for some of the items, and stages that are asked.</content>
/// <remarks>
/// A filter or route is a stage that looks at each item once and sets a bit in a bitmap, a bit a slot; nothing is copied or
/// moved. Who follows it, directly or through others, is called for selected items only, and passes over the rest.
/// </remarks>
public sealed partial class PipelineBuilder<TSource, T>
{
    /// <summary>Adds a filter: stages behind it are for the items of which <paramref name="predicate"/> is true.</summary>
    /// <remarks>
    /// A stage that follows several is for the items of any of them; one that follows an unfiltered stage too is for all.
    /// An item at which the predicate throws is for nobody behind it, if the policy passes over it.
    /// </remarks>
    /// <param name="name">Unique; also the name of its thread.</param>
    /// <param name="predicate">Called once an item.</param>
    /// <param name="after">The stages it follows. Default: the one defined before.</param>
    /// <param name="wait">How it waits. Default: as the pipeline does.</param>
    /// <param name="onFault">What happens when it throws. Default: as the pipeline says.</param>
    /// <param name="configure">Everything else.</param>
    public PipelineBuilder<TSource, T> Filter(
        string name,
        ItemPredicate<T> predicate,
        IReadOnlyList<string>? after = null,
        Wait? wait = null,
        FaultPolicy? onFault = null,
        Func<StageOptions, StageOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(predicate);
        AddRouter(
            name, null, [null], new PredicateClassifier<T>(predicate), after,
            OptionsOf(name, null, wait, onFault, configure));
        return this;
    }

    /// <summary>Adds a router: each item is for one of its outputs, which other stages follow by name.</summary>
    /// <remarks>
    /// A stage that follows the router itself, or all of its outputs, is for every item. An index that is none of an output
    /// is a fault of that item; an item at which the route throws is for no output, if the policy passes over it.
    /// </remarks>
    /// <param name="name">Unique; also the name of its thread.</param>
    /// <param name="route">Called once an item; gives the index of an output.</param>
    /// <param name="outputs">Their names, for <c>after</c>; unique among stages too.</param>
    /// <param name="after">The stages it follows. Default: the one defined before.</param>
    /// <param name="wait">How it waits. Default: as the pipeline does.</param>
    /// <param name="onFault">What happens when it throws. Default: as the pipeline says.</param>
    /// <param name="configure">Everything else.</param>
    /// <exception cref="ArgumentException">There is no output, or too many, or one without a name.</exception>
    public PipelineBuilder<TSource, T> Route(
        string name,
        ItemRoute<T> route,
        IReadOnlyList<string> outputs,
        IReadOnlyList<string>? after = null,
        Wait? wait = null,
        FaultPolicy? onFault = null,
        Func<StageOptions, StageOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(route);
        ArgumentNullException.ThrowIfNull(outputs);
        int count = Checked(outputs.Count, name, nameof(outputs), "Outputs of a router");
        foreach (string output in outputs) ArgumentException.ThrowIfNullOrWhiteSpace(output, nameof(outputs));
        AddRouter(
            name, null, outputs, new RouteClassifier<T>(name, route, count), after,
            OptionsOf(name, null, wait, onFault, configure));
        return this;
    }

    /// <summary>
    /// Adds a stage without a handler, whose items its user asks for: <see cref="Pipeline{T}.GetPoller"/>. Stages may
    /// follow it; they see what has been polled and disposed of.
    /// </summary>
    /// <param name="name">Unique.</param>
    /// <param name="dispatch">How much a poll gives. Default: <see cref="Dispatch.Batch"/>.</param>
    /// <param name="after">The stages it follows. Default: the one defined before.</param>
    /// <param name="onFault">What becomes of what its user cannot handle. Default: as the pipeline says.</param>
    /// <param name="configure">Everything else.</param>
    public PipelineBuilder<TSource, T> Poller(
        string name,
        Dispatch? dispatch = null,
        IReadOnlyList<string>? after = null,
        FaultPolicy? onFault = null,
        Func<StageOptions, StageOptions>? configure = null)
    {
        StageOptions options = OptionsOf(name, dispatch, null, onFault, configure);
        Column<T> column = _column;
        _definition.Add(
            new StageDefinition(name, after, options, column, (site, edge, final) =>
            {
                var poller = new Poller<T>(edge, site.Of(column), final);
                site.Nodes.Pollers[name] = poller;
                return poller.Stage;
            })
            {
                IsPolled = true,
            });
        return this;
    }

    private void AddRouter<TClassifier>(
        string name, StageGroup? group, IReadOnlyList<string?> outputs, TClassifier classifier,
        IReadOnlyList<string>? after, StageOptions options)
        where TClassifier : IClassifier<T>
    {
        Column<T> column = _column;
        StageDefinition? router = null;
        router = new StageDefinition(name, after, options, column, (site, edge, final) => site.Of(column).Subscribe(
            new Router<T, TClassifier>(classifier, edge.Selection, site.OutputsOf(router!)), final))
        {
            Routes = new RouterDefinition(outputs),
            Group = group,
        };
        _definition.Add(router);
    }

    // A number in range: what follows is defined all the same, so that all that is wrong is reported at once.
    private int Checked(int count, string name, string parameter, string what)
    {
        if (count is >= 1 and <= MostBeside) return count;
        _definition.Problems.Add($"{what} must be between 1 and {MostBeside}: name='{name}', {parameter}={count}. Use a number in between.");
        return Math.Clamp(count, 1, MostBeside);
    }
}
