using System.Diagnostics;
using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>A pipeline at work: a ring, its named stages, and the plan by which they are driven.</summary>
/// <remarks>
/// <para><b>Threads</b>: every member by any thread.</para>
/// <para>Its life is the ring's (<see cref="RingState"/>): created, running, draining, stopped; or faulted.</para>
/// </remarks>
/// <typeparam name="T">The item type.</typeparam>
[DebuggerDisplay("{Plan} {State}: {Stages.Count} stages, backlog {Ring.Backlog}")]
[DebuggerTypeProxy(typeof(PipelineDebugView<>))]
public sealed class Pipeline<T> : IAsyncDisposable
{
    private readonly Dictionary<string, Stage> _stages;

    internal Pipeline(RingBuffer<T> ring, Plan plan, Dictionary<string, Stage> stages)
    {
        Ring = ring;
        Plan = plan;
        _stages = stages;
        Stages = [.. stages.Values];
    }

    /// <summary>The ring beneath.</summary>
    public RingBuffer<T> Ring { get; }

    /// <summary>Who drives the stages.</summary>
    public Plan Plan { get; }

    /// <summary>The stages, each after its upstream.</summary>
    public IReadOnlyList<Stage> Stages { get; }

    /// <summary>Where it is in its life.</summary>
    public RingState State => Ring.State;

    /// <summary>Completes when every stage has ended; faults where one failed.</summary>
    public Task Completion => Ring.Completion;

    /// <summary>The stage of that name; its dispatch may be changed while it runs.</summary>
    /// <exception cref="KeyNotFoundException">There is none.</exception>
    public Stage this[string name]
    {
        get
        {
            ArgumentNullException.ThrowIfNull(name);
            return _stages.TryGetValue(name, out Stage? stage)
                ? stage
                : throw new KeyNotFoundException($"No such stage: name='{name}'. Known: {string.Join(", ", _stages.Keys)}.");
        }
    }

    /// <inheritdoc cref="RingBuffer{T}.CreateProducer"/>
    public SingleProducer<T> CreateProducer() => Ring.CreateProducer();

    /// <inheritdoc cref="RingBuffer{T}.CreateMultiProducer"/>
    public MultiProducer<T> CreateMultiProducer() => Ring.CreateMultiProducer();

    /// <inheritdoc cref="Rings.Ring.StartAsync"/>
    public Task StartAsync() => Ring.StartAsync();

    /// <inheritdoc cref="Rings.Ring.Complete"/>
    public void Complete() => Ring.Complete();

    /// <inheritdoc cref="Rings.Ring.DrainAsync"/>
    public Task<DrainResult> DrainAsync(TimeSpan timeout, CancellationToken cancellation = default) =>
        Ring.DrainAsync(timeout, cancellation);

    /// <inheritdoc cref="Rings.Ring.HaltAsync"/>
    public Task HaltAsync() => Ring.HaltAsync();

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => Ring.DisposeAsync();

    /// <summary>A snapshot of what each stage has done.</summary>
    public IReadOnlyList<StageStatistics> GetStatistics() => [.. Stages.Select(stage => stage.GetStatistics())];

    /// <summary>The pipeline as a person reads it: a line a stage, and the sizes of its batches.</summary>
    public string Dump() => PipelineDump.Of(this);

    /// <inheritdoc cref="Dump"/>
    public override string ToString() => $"{Plan} {State}: {string.Join(" → ", Stages.Select(stage => stage.Name))}";
}

/// <summary>What a debugger shows of a pipeline.</summary>
internal sealed class PipelineDebugView<T>(Pipeline<T> pipeline)
{
    public RingState State => pipeline.State;

    public long Backlog => pipeline.Ring.Backlog;

    [DebuggerBrowsable(DebuggerBrowsableState.RootHidden)]
    public Stage[] Stages => [.. pipeline.Stages];
}
