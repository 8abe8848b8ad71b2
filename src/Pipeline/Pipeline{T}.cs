using System.Diagnostics;
using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>A pipeline at work: its rings, its named stages, and the plan by which they are driven.</summary>
/// <remarks>
/// <para><b>Threads</b>: every member by any thread.</para>
/// <para>Its life is that of its rings together (<see cref="RingState"/>): created, running, draining, stopped; or faulted. It
/// runs once: run its definition again for another one.</para>
/// </remarks>
/// <typeparam name="T">What producers publish.</typeparam>
/// <example>
/// <code>
/// await using Pipeline&lt;Order> pipeline = definition.Run();
/// SingleProducer&lt;Order> producer = pipeline.CreateProducer();
/// foreach (Order order in orders) producer.Publish(order);
/// pipeline["book"].Dispatch = Dispatch.Batch(max: 64);  // while it runs
///
/// DrainResult result = await pipeline.DrainAsync(TimeSpan.FromSeconds(30));
/// Console.WriteLine(result);
/// </code>
/// </example>
[DebuggerDisplay("{Plan} {State}: {Stages.Count} stages, backlog {Backlog}")]
[DebuggerTypeProxy(typeof(PipelineDebugView<>))]
public sealed partial class Pipeline<T> : IAsyncDisposable
{
    private volatile IReadOnlyDictionary<string, Stage> _stages;
    private readonly LinkedRings _rings;
    private readonly PipelineNodes _nodes;

    private readonly PlanChoice _choice;
    private Publisher<T>? _publisher;

    internal Pipeline(LinkedRings rings, PlanChoice choice, Dictionary<string, Stage> stages, PipelineNodes nodes)
    {
        _nodes = nodes;
        _rings = rings;
        Rings = rings.All;
        Ring = (RingBuffer<T>)Rings[0];
        _choice = choice;
        _stages = stages;
    }

    /// <summary>The ring that producers publish into, the first where there are several.</summary>
    public RingBuffer<T> Ring { get; }

    /// <summary>The rings that producers publish into: one, unless several sources are merged (<see cref="Pipeline.Merge"/>).</summary>
    public IReadOnlyList<RingBuffer<T>> Sources => _rings.Sources<T>();

    /// <summary>The same, with which feeds which.</summary>
    internal IReadOnlyList<LinkedRing> Linked => _rings.Linked;

    /// <summary>All rings, each after those that feed it: one a segment, more under <see cref="Plan.RingPerStage"/>.</summary>
    public IReadOnlyList<Ring> Rings { get; }

    /// <summary>Items in its rings that not every last stage of theirs has passed: a snapshot.</summary>
    public long Backlog => Rings.Sum(static ring => ring.Backlog);

    /// <summary>After a halt or fault: items that were not handled to their end, in the ring each had come to.</summary>
    public long Unprocessed => _rings.Unprocessed;

    /// <summary>How the stages are driven; what <see cref="Plan.Auto"/> has come to so far.</summary>
    public Plan Plan => _choice.Plan;

    /// <summary>Why it is that plan.</summary>
    public string PlanReason => _choice.Reason;

    /// <summary>The stages, each after its upstream.</summary>
    public IReadOnlyList<Stage> Stages => [.. _stages.Values];

    /// <summary>Where it is in its life.</summary>
    public RingState State => _rings.State;

    /// <summary>Completes when every stage has ended; faults where one failed.</summary>
    public Task Completion => _rings.Completion;

    /// <summary>The stage of that name; its dispatch may be changed while it runs.</summary>
    /// <exception cref="KeyNotFoundException">There is none.</exception>
    public Stage this[string name]
    {
        get
        {
            ArgumentNullException.ThrowIfNull(name);
            IReadOnlyDictionary<string, Stage> stages = _stages;
            return stages.TryGetValue(name, out Stage? stage)
                ? stage
                : throw new KeyNotFoundException($"No such stage: name='{name}'. Known: {string.Join(", ", stages.Keys)}.");
        }
    }

    /// <summary>The poller of that name.</summary>
    /// <typeparam name="TItem">What it polls.</typeparam>
    /// <exception cref="KeyNotFoundException">There is none of that name and type.</exception>
    public Poller<TItem> GetPoller<TItem>(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        return _nodes.Pollers.GetValueOrDefault(name) as Poller<TItem> ?? throw new KeyNotFoundException(
            $"No such poller: name='{name}', item={typeof(TItem).Name}. Known: {string.Join(", ", _nodes.Pollers.Keys)}.");
    }

    /// <summary>The keyed lanes of that name, for their statistics.</summary>
    /// <exception cref="KeyNotFoundException">There are none.</exception>
    public KeyedLanes GetLanes(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        return _nodes.Lanes.TryGetValue(name, out KeyedLanes? lanes) ? lanes : throw new KeyNotFoundException(
            $"No such lanes: name='{name}'. Known: {string.Join(", ", _nodes.Lanes.Keys)}.");
    }

    /// <inheritdoc cref="RingBuffer{T}.CreateProducer"/>
    public SingleProducer<T> CreateProducer() => Ring.CreateProducer();

    /// <inheritdoc cref="RingBuffer{T}.CreateMultiProducer"/>
    public MultiProducer<T> CreateMultiProducer() => Ring.CreateMultiProducer();

    /// <summary>Publishes from any thread: one for all, made when it is first asked for.</summary>
    /// <remarks>
    /// It takes one of the ring's producers, for good: the only one of a single-producer pipeline, one of several otherwise.
    /// It is the same one for every caller.
    /// </remarks>
    /// <exception cref="InvalidOperationException">The ring has all its producers.</exception>
    public Publisher<T> Publisher => _publisher ??= Ring.GetPublisher();

    /// <inheritdoc cref="Rings.Ring.StartAsync()"/>
    public Task StartAsync() => _rings.StartAsync();

    /// <inheritdoc cref="Rings.Ring.Complete()"/>
    public void Complete() => _rings.Complete();

    /// <inheritdoc cref="RingEnds.TryComplete"/>
    public bool TryComplete(Exception? error = null) => Ring.TryComplete(error);

    /// <inheritdoc cref="Rings.Ring.DrainAsync"/>
    /// <remarks>
    /// The time is for all rings, which are drained one after another. The target, and the positions compared with it, are
    /// those of the segment that was not drained in time; where all were, the target is that of the first.
    /// </remarks>
    public Task<DrainResult> DrainAsync(TimeSpan timeout, CancellationToken cancellation = default) =>
        _rings.DrainAsync(timeout, cancellation);

    /// <inheritdoc cref="Rings.Ring.HaltAsync"/>
    public Task HaltAsync() => _rings.HaltAsync();

    /// <inheritdoc cref="Rings.Ring.DisposeAsync"/>
    public ValueTask DisposeAsync() => _rings.DisposeAsync();

    /// <summary>A snapshot of what each stage has done.</summary>
    public IReadOnlyList<StageStatistics> GetStatistics() => [.. Stages.Select(stage => stage.GetStatistics())];

    /// <summary>Its plan, state and stages in a line.</summary>
    public override string ToString() => $"{Plan} {State}: {string.Join(" → ", Stages.Select(stage => stage.Name))}";
}

/// <summary>What a debugger shows of a pipeline.</summary>
internal sealed class PipelineDebugView<T>(Pipeline<T> pipeline)
{
    public RingState State => pipeline.State;

    public long Backlog => pipeline.Backlog;

    [DebuggerBrowsable(DebuggerBrowsableState.RootHidden)]
    public Stage[] Stages => [.. pipeline.Stages];
}
