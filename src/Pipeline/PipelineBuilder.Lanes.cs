using Raceway.Rings;

namespace Raceway.Pipelines;

/// <content>Keyed lanes: the items of a key one after another, different keys beside each other.</content>
public sealed partial class PipelineBuilder<TSource, T>
{
    /// <summary>Adds keyed lanes: items of one key are handled one after another, in order; lanes run beside each other.</summary>
    /// <remarks>
    /// <para>A router, <c>name/route</c>, asks for the key of each item and gives the item to one of the lanes,
    /// <c>name/0</c>, <c>name/1</c>, …: a bucket of the key's hash, so keys that share a lane wait for each other. To follow
    /// <paramref name="name"/> is to follow all lanes: what comes behind sees an item when every lane has passed it.</para>
    /// <para><b>Order</b>: per key, whatever fails: a lane waits behind an item that is retried, and goes on when it is
    /// handled, skipped or dead-lettered. The other lanes go on meanwhile, as far as the ring has room.</para>
    /// <para><b>Cost</b>: the key is asked for once, by the router; memory does not depend on how many keys there are.</para>
    /// <para><b>Errors</b>: a selector that throws, or gives no key, is a fault of that item at the router; if the policy
    /// passes over it, it is for no lane.</para>
    /// </remarks>
    /// <param name="name">Unique; the router and the lanes add to it.</param>
    /// <param name="lanes">How many, 1 or more.</param>
    /// <param name="key">The key of an item: its hash must not change while the item is inside.</param>
    /// <param name="handler">What each lane does: called by several threads at the same time, for different keys.</param>
    /// <param name="dispatch">How it is called. Default: <see cref="Dispatch.Batch"/>.</param>
    /// <param name="after">The stages they follow. Default: the one defined before.</param>
    /// <param name="wait">How they wait. Default: as the pipeline does.</param>
    /// <param name="onFault">What happens when a lane or the selector throws. Default: as the pipeline says.</param>
    /// <param name="configure">Everything else about the lanes.</param>
    /// <typeparam name="TKey">The key type.</typeparam>
    public PipelineBuilder<TSource, T> Lanes<TKey>(
        string name,
        int lanes,
        KeySelector<T, TKey> key,
        SlotAction<T> handler,
        Dispatch? dispatch = null,
        IReadOnlyList<string>? after = null,
        Wait? wait = null,
        FaultPolicy? onFault = null,
        Func<StageOptions, StageOptions>? configure = null)
        where TKey : notnull, IEquatable<TKey>
    {
        ArgumentNullException.ThrowIfNull(handler);
        return AddLanes(
            name, lanes, key, after, OptionsOf(name, dispatch, wait, onFault, configure),
            _ => (slots, edge, options) => edge.Attach(slots, handler, options));
    }

    /// <inheritdoc cref="Lanes{TKey}(string, int, KeySelector{T, TKey}, SlotAction{T}, Dispatch?, IReadOnlyList{string}?, Wait?, FaultPolicy?, Func{StageOptions, StageOptions}?)"/>
    public PipelineBuilder<TSource, T> Lanes<TKey>(
        string name,
        int lanes,
        KeySelector<T, TKey> key,
        Func<int, IEventHandler<T>> handlers,
        Dispatch? dispatch = null,
        IReadOnlyList<string>? after = null,
        Wait? wait = null,
        FaultPolicy? onFault = null,
        Func<StageOptions, StageOptions>? configure = null)
        where TKey : notnull, IEquatable<TKey>
    {
        ArgumentNullException.ThrowIfNull(handlers);
        return AddLanes(
            name, lanes, key, after, OptionsOf(name, dispatch, wait, onFault, configure),
            number => { IEventHandler<T> handler = Made(handlers, number); return (slots, edge, options) => edge.Attach(slots, handler, options); });
    }

    /// <remarks>A batch is a run of neighbouring items of the lane; with many lanes that is often one.</remarks>
    /// <inheritdoc cref="Lanes{TKey}(string, int, KeySelector{T, TKey}, Func{int, IEventHandler{T}}, Dispatch?, IReadOnlyList{string}?, Wait?, FaultPolicy?, Func{StageOptions, StageOptions}?)"/>
    public PipelineBuilder<TSource, T> Lanes<TKey>(
        string name,
        int lanes,
        KeySelector<T, TKey> key,
        Func<int, IBatchHandler<T>> handlers,
        Dispatch? dispatch = null,
        IReadOnlyList<string>? after = null,
        Wait? wait = null,
        FaultPolicy? onFault = null,
        Func<StageOptions, StageOptions>? configure = null)
        where TKey : notnull, IEquatable<TKey>
    {
        ArgumentNullException.ThrowIfNull(handlers);
        return AddLanes(
            name, lanes, key, after, OptionsOf(name, dispatch, wait, onFault, configure),
            number => { IBatchHandler<T> handler = Made(handlers, number); return (slots, edge, options) => edge.Attach(slots, handler, options); });
    }

    /// <inheritdoc cref="Lanes{TKey}(string, int, KeySelector{T, TKey}, Func{int, IBatchHandler{T}}, Dispatch?, IReadOnlyList{string}?, Wait?, FaultPolicy?, Func{StageOptions, StageOptions}?)"/>
    public PipelineBuilder<TSource, T> Lanes<TKey>(
        string name,
        int lanes,
        KeySelector<T, TKey> key,
        Func<int, IAsyncBatchHandler<T>> handlers,
        Dispatch? dispatch = null,
        IReadOnlyList<string>? after = null,
        Wait? wait = null,
        FaultPolicy? onFault = null,
        Func<StageOptions, StageOptions>? configure = null)
        where TKey : notnull, IEquatable<TKey>
    {
        ArgumentNullException.ThrowIfNull(handlers);
        return AddLanes(
            name, lanes, key, after, OptionsOf(name, dispatch, wait, onFault, configure),
            number => { IAsyncBatchHandler<T> handler = Made(handlers, number); return (slots, edge, options) => edge.Attach(slots, handler, options); },
            awaits: true);
    }

    /// <remarks>The items of a lane's batch are grouped by key, and handed over in one call a key.</remarks>
    /// <inheritdoc cref="Lanes{TKey}(string, int, KeySelector{T, TKey}, Func{int, IEventHandler{T}}, Dispatch?, IReadOnlyList{string}?, Wait?, FaultPolicy?, Func{StageOptions, StageOptions}?)"/>
    public PipelineBuilder<TSource, T> Lanes<TKey>(
        string name,
        int lanes,
        KeySelector<T, TKey> key,
        Func<int, IKeyHandler<T, TKey>> handlers,
        Dispatch? dispatch = null,
        IReadOnlyList<string>? after = null,
        Wait? wait = null,
        FaultPolicy? onFault = null,
        Func<StageOptions, StageOptions>? configure = null)
        where TKey : notnull, IEquatable<TKey>
    {
        ArgumentNullException.ThrowIfNull(handlers);
        return AddLanes(
            name, lanes, key, after, OptionsOf(name, dispatch, wait, onFault, configure),
            number => { IKeyHandler<T, TKey> handler = Made(handlers, number); return (slots, edge, options) => edge.AttachKeys(slots, key, handler, options); });
    }

    /// <summary>The same with a struct handler of single items: its calls are direct.</summary>
    /// <inheritdoc cref="Lanes{TKey}(string, int, KeySelector{T, TKey}, Func{int, IEventHandler{T}}, Dispatch?, IReadOnlyList{string}?, Wait?, FaultPolicy?, Func{StageOptions, StageOptions}?)"/>
    public PipelineBuilder<TSource, T> LanesOfEvents<TKey, THandler>(
        string name,
        int lanes,
        KeySelector<T, TKey> key,
        Func<int, THandler> handlers,
        Dispatch? dispatch = null,
        IReadOnlyList<string>? after = null,
        Wait? wait = null,
        FaultPolicy? onFault = null,
        Func<StageOptions, StageOptions>? configure = null)
        where TKey : notnull, IEquatable<TKey>
        where THandler : struct, IEventHandler<T>
    {
        ArgumentNullException.ThrowIfNull(handlers);
        return AddLanes(
            name, lanes, key, after, OptionsOf(name, dispatch, wait, onFault, configure),
            number => { THandler handler = handlers(number); return (slots, edge, options) => edge.AttachEvents(slots, handler, options); });
    }

    private PipelineBuilder<TSource, T> AddLanes<TKey>(
        string name, int lanes, KeySelector<T, TKey> key, IReadOnlyList<string>? after, StageOptions options,
        Func<int, Func<Slots<T>, Edge, StageOptions, Stage>> attachOf, bool awaits = false)
        where TKey : notnull, IEquatable<TKey>
    {
        ArgumentNullException.ThrowIfNull(key);
        StageGroup group = GroupOf(name, StageGroupKind.Lanes, lanes, nameof(lanes));
        string[] outputs = [.. Enumerable.Range(0, group.Count).Select(lane => $"{name}/route:{lane}")];
        // What is said of calls is said of the lanes' handlers.
        var routes = new StageOptions { Wait = options.Wait, OnFault = options.OnFault };
        AddRouter($"{name}/route", group, outputs, new KeyClassifier<T, TKey>(key, group.Count), after, routes);
        for (int i = 0; i < group.Count; i++)
        {
            _definition.Add(
                Define($"{name}/{i}", [outputs[i]], options, attachOf(i)) with { Group = group, Awaits = awaits });
        }

        return this;
    }
}
