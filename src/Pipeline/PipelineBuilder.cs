using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>The definition of a pipeline: named stages, what each follows, and how each is called.</summary>
/// <remarks>
/// <para><b>Order of stages</b>: a stage follows the one added before it. <see cref="Fork"/> adds branches beside each other,
/// and what comes next follows all of them. <see cref="After"/> names what the next stage follows, for every other graph.</para>
/// <para><b>Handlers</b>: a lambda, an object of a class, or a <see cref="StageKind{T}"/>, which is also how a struct is
/// given. <see cref="StageOptions"/> say how it is called; where that is all, a <see cref="Dispatch"/> does.</para>
/// <para><b>Views</b>: this is a view on the definition, for items of one type. <c>Map</c> and <c>Expand</c> change the
/// definition and return the view for what they make. Both views may be used from then on.</para>
/// <para>Nothing runs before <see cref="Run(Plan)"/>. Mistakes are reported there, all at once. A definition may be run more
/// than once; class handlers are then shared by the runs.</para>
/// <para><b>Threads</b>: one at a time, over all views.</para>
/// </remarks>
/// <typeparam name="TSource">What producers publish.</typeparam>
/// <typeparam name="T">What stages added here are called for.</typeparam>
/// <example>
/// <code>
/// PipelineBuilder&lt;Order, Order> definition = Pipeline.Of&lt;Order>(capacity: 1024)
///     .Fork(
///         static one => one.Stage("price", static (ref Order order) => order.Price = order.Pieces * 0.25m),
///         static two => two.Stage("check", static (ref Order order) => order.IsValid = order.Pieces > 0))
///     .Stage("book", write, Dispatch.Batch(max: 256));
/// await using Pipeline&lt;Order> pipeline = definition.Run();
/// </code>
/// </example>
public sealed partial class PipelineBuilder<TSource, T>
{
    private readonly PipelineDefinition _definition;
    private readonly Column<TSource> _source;
    private readonly Column<T> _column;
    private IReadOnlyList<string> _after;

    internal PipelineBuilder(
        PipelineDefinition definition, Column<TSource> source, Column<T> column, IReadOnlyList<string>? after = null)
    {
        _definition = definition;
        _source = source;
        _column = column;
        _after = after ?? [];
    }

    internal Segment Segment => _column.Segment;

    /// <summary>Adds a stage that is called an item at a time.</summary>
    /// <param name="name">Unique; also the name of its thread.</param>
    /// <param name="handler">What it does.</param>
    /// <param name="options">How it is called, waits and fails. Its name and what it follows are the builder's.</param>
    public PipelineBuilder<TSource, T> Stage(string name, SlotAction<T> handler, StageOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return AddStage(name, StageKind<T>.Of(handler), options);
    }

    /// <summary>Adds a stage that is called as its handler says: an item or a batch at a time, awaited or not.</summary>
    /// <param name="name">Unique; also the name of its thread.</param>
    /// <param name="handler">An object of a class with one of the handler interfaces, or a <see cref="StageKind{T}"/>.</param>
    /// <param name="options">How it is called, waits and fails. Its name and what it follows are the builder's.</param>
    /// <exception cref="ArgumentException">The class has several of the interfaces, or none: it does not say which is meant.</exception>
    /// <typeparam name="THandler">Its class, or the interface that is meant.</typeparam>
    public PipelineBuilder<TSource, T> Stage<THandler>(string name, THandler handler, StageOptions? options = null)
        where THandler : class, IStageHandler<T> =>
        AddStage(name, StageKind<T>.Of(handler), options);

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
    /// <param name="options">As of <see cref="Stage(string, SlotAction{T}, StageOptions?)"/>.</param>
    public PipelineBuilder<TSource, T> Workers(string name, int workers, SlotAction<T> handler, StageOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return AddWorkers(name, workers, options, _ => StageKind<T>.Of(handler));
    }

    /// <inheritdoc cref="Workers(string, int, SlotAction{T}, StageOptions?)"/>
    /// <param name="name">Unique; workers add their number.</param>
    /// <param name="workers">How many, 1 or more.</param>
    /// <param name="handlers">Makes the handler of each worker, from 0 on.</param>
    /// <param name="options">As of <see cref="Stage(string, SlotAction{T}, StageOptions?)"/>.</param>
    /// <typeparam name="THandler">Their class, or the interface that is meant.</typeparam>
    public PipelineBuilder<TSource, T> Workers<THandler>(
        string name, int workers, Func<int, THandler> handlers, StageOptions? options = null)
        where THandler : class, IStageHandler<T>
    {
        ArgumentNullException.ThrowIfNull(handlers);
        return AddWorkers(name, workers, options, number => StageKind<T>.Of(GivenHandlers.Made(handlers, number)));
    }

    /// <summary>Adds keyed lanes: items of one key are handled one after another, in order; lanes run beside each other.</summary>
    /// <remarks>
    /// <para>A router, <c>name/route</c>, asks for the key of each item and gives the item to one of the lanes,
    /// <c>name/0</c>, <c>name/1</c>, …: a bucket of the key's hash, so keys that share a lane wait for each other. To follow
    /// <paramref name="name"/> is to follow all lanes: what comes behind sees an item when every lane has passed it.</para>
    /// <para><b>Order</b>: per key, whatever fails: a lane waits behind an item that is retried, and goes on when it is
    /// handled, skipped or dead-lettered. The other lanes go on meanwhile, as far as the ring has room.</para>
    /// <para><b>Batches</b>: a batch is a run of neighbouring items of the lane; with many lanes that is often one.</para>
    /// <para><b>Cost</b>: the key is asked for once, by the router; memory does not depend on how many keys there are.</para>
    /// <para><b>Errors</b>: a selector that throws, or gives no key, is a fault of that item at the router; if the policy
    /// passes over it, it is for no lane.</para>
    /// </remarks>
    /// <param name="name">Unique; the router and the lanes add to it.</param>
    /// <param name="lanes">How many, 1 or more.</param>
    /// <param name="key">The key of an item: its hash must not change while the item is inside.</param>
    /// <param name="handler">What each lane does: called by several threads at the same time, for different keys.</param>
    /// <param name="options">Of the lanes, as of <see cref="Stage(string, SlotAction{T}, StageOptions?)"/>.</param>
    /// <typeparam name="TKey">The key type.</typeparam>
    public PipelineBuilder<TSource, T> Lanes<TKey>(
        string name, int lanes, KeySelector<T, TKey> key, SlotAction<T> handler, StageOptions? options = null)
        where TKey : notnull, IEquatable<TKey>
    {
        ArgumentNullException.ThrowIfNull(handler);
        return AddLanes(name, lanes, key, options, _ => StageKind<T>.Of(handler));
    }

    /// <inheritdoc cref="Lanes{TKey}(string, int, KeySelector{T, TKey}, SlotAction{T}, StageOptions?)"/>
    /// <param name="name">Unique; the router and the lanes add to it.</param>
    /// <param name="lanes">How many, 1 or more.</param>
    /// <param name="key">The key of an item: its hash must not change while the item is inside.</param>
    /// <param name="handlers">Makes the handler of each lane, from 0 on.</param>
    /// <param name="options">Of the lanes, as of <see cref="Stage(string, SlotAction{T}, StageOptions?)"/>.</param>
    /// <typeparam name="TKey">The key type.</typeparam>
    /// <typeparam name="THandler">Their class, or the interface that is meant.</typeparam>
    public PipelineBuilder<TSource, T> Lanes<TKey, THandler>(
        string name, int lanes, KeySelector<T, TKey> key, Func<int, THandler> handlers, StageOptions? options = null)
        where TKey : notnull, IEquatable<TKey>
        where THandler : class, IStageHandler<T>
    {
        ArgumentNullException.ThrowIfNull(handlers);
        return AddLanes(name, lanes, key, options, number => StageKind<T>.Of(GivenHandlers.Made(handlers, number)));
    }

    /// <summary>Adds keyed lanes with handlers that are called a key at a time: the items of a lane's batch are grouped by key.</summary>
    /// <inheritdoc cref="Lanes{TKey, THandler}(string, int, KeySelector{T, TKey}, Func{int, THandler}, StageOptions?)"/>
    public PipelineBuilder<TSource, T> Lanes<TKey>(
        string name, int lanes, KeySelector<T, TKey> key, Func<int, IKeyHandler<T, TKey>> handlers, StageOptions? options = null)
        where TKey : notnull, IEquatable<TKey>
    {
        ArgumentNullException.ThrowIfNull(handlers);
        return AddLanes(name, lanes, key, options, number => StageKind<T>.Of(key, GivenHandlers.Made(handlers, number)));
    }

    /// <summary>Adds a filter: stages behind it are for the items of which <paramref name="predicate"/> is true.</summary>
    /// <remarks>
    /// A stage that follows several is for the items of any of them; one that follows an unfiltered stage too is for all.
    /// An item at which the predicate throws is for no stage behind it, if the policy passes over it. Nothing is copied or moved:
    /// the filter sets a bit for each slot.
    /// </remarks>
    /// <param name="name">Unique; also the name of its thread.</param>
    /// <param name="predicate">Called once an item.</param>
    /// <param name="options">As of <see cref="Stage(string, SlotAction{T}, StageOptions?)"/>.</param>
    public PipelineBuilder<TSource, T> Filter(string name, ItemPredicate<T> predicate, StageOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(predicate);
        AddRouter(name, null, [null], new PredicateClassifier<T>(predicate), _definition.OptionsOf(name, options));
        return this;
    }

    /// <summary>Adds a router: each item is for one of its outputs, which <see cref="After"/> follows by name.</summary>
    /// <remarks>
    /// A stage that follows the router itself, or all of its outputs, is for every item. An index that is none of an output
    /// is a fault of that item; an item at which the route throws is for no output, if the policy passes over it.
    /// </remarks>
    /// <param name="name">Unique; also the name of its thread.</param>
    /// <param name="route">Called once an item; gives the index of an output.</param>
    /// <param name="outputs">Their names, for <see cref="After"/>; unique among stages too.</param>
    /// <param name="options">As of <see cref="Stage(string, SlotAction{T}, StageOptions?)"/>.</param>
    /// <exception cref="ArgumentException">There is no output, or too many, or one without a name.</exception>
    public PipelineBuilder<TSource, T> Route(
        string name, ItemRoute<T> route, IReadOnlyList<string> outputs, StageOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(route);
        ArgumentNullException.ThrowIfNull(outputs);
        int count = _definition.CountOf(outputs.Count, name, nameof(outputs), "Outputs of a router");
        foreach (string output in outputs) ArgumentException.ThrowIfNullOrWhiteSpace(output, nameof(outputs));
        AddRouter(name, null, outputs, new RouteClassifier<T>(name, route, count), _definition.OptionsOf(name, options));
        return this;
    }

    /// <summary>
    /// Adds a stage without a handler. Its user asks for the items: <see cref="Pipeline{T}.GetPoller"/>. Stages may follow
    /// it; they see what has been polled and disposed of.
    /// </summary>
    /// <param name="name">Unique.</param>
    /// <param name="options">How much a poll gives, and what becomes of what its user cannot handle.</param>
    public PipelineBuilder<TSource, T> Poller(string name, StageOptions? options = null)
    {
        Column<T> column = _column;
        Add(new StageDefinition(name, _after, _definition.OptionsOf(name, options), column, (context, input, final) =>
        {
            var poller = new Poller<T>(input, context.Of(column), final);
            context.Nodes.Pollers[name] = poller;
            return poller.Stage;
        })
        {
            IsPolled = true,
        });
        return this;
    }

    /// <summary>Adds branches beside each other. What is added next follows the ends of all of them.</summary>
    /// <remarks>
    /// Each branch begins here, behind the stage added last. One that adds nothing is a way past the others.
    /// <code>
    /// .Stage("validate", Validate)
    /// .Fork(
    ///     one => one.Stage("journal", Journal),
    ///     two => two.Stage("replicate", Replicate))
    /// .Stage("apply", Apply)
    /// </code>
    /// </remarks>
    /// <param name="branches">Each adds its stages to the view that it is given.</param>
    /// <exception cref="InvalidOperationException">A branch has added to this view instead.</exception>
    public PipelineBuilder<TSource, T> Fork(params ReadOnlySpan<Action<PipelineBuilder<TSource, T>>> branches)
    {
        IReadOnlyList<string> here = _after;
        List<string> ends = [];
        foreach (Action<PipelineBuilder<TSource, T>> branch in branches)
        {
            ArgumentNullException.ThrowIfNull(branch, nameof(branches));
            var view = new PipelineBuilder<TSource, T>(_definition, _source, _column, here);
            branch(view);
            ends.AddRange(view._after);
            if (!ReferenceEquals(_after, here))
            {
                throw new InvalidOperationException(
                    $"A branch adds to the view that it is given: '{string.Join("', '", _after)}' was added to the view that forks. "
                    + "Use the branch's parameter.");
            }
        }

        // No ends: every branch is a way past, from where the producers publish.
        if (ends.Count > 0) _after = [.. ends.Distinct()];
        return this;
    }

    /// <summary>Names what the next stage follows: stages, outputs of a router, groups of workers or lanes. Several join.</summary>
    /// <param name="names">None: the next stage reads what producers publish. They may be added later.</param>
    /// <exception cref="ArgumentNullException">A name is null.</exception>
    public PipelineBuilder<TSource, T> After(params IReadOnlyList<string> names)
    {
        ArgumentNullException.ThrowIfNull(names);
        foreach (string name in names) ArgumentNullException.ThrowIfNull(name, nameof(names));
        _after = [.. names.Distinct()];
        return this;
    }
}
