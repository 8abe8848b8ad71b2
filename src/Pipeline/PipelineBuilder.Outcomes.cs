using Raceway.Rings;

namespace Raceway.Pipelines;

/// <content>Stages whose handlers return what has become of their batch.</content>
public sealed partial class PipelineBuilder<TSource, T>
{
    /// <summary>Adds a stage whose handler returns what has become of its batch.</summary>
    /// <inheritdoc cref="Stage(string, SlotAction{T}, Dispatch?, IReadOnlyList{string}?, Wait?, FaultPolicy?, Func{StageOptions, StageOptions}?)"/>
    public PipelineBuilder<TSource, T> Stage(
        string name,
        IOutcomeHandler<T> handler,
        Dispatch? dispatch = null,
        IReadOnlyList<string>? after = null,
        Wait? wait = null,
        FaultPolicy? onFault = null,
        Func<StageOptions, StageOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Add(name, after, dispatch, wait, onFault, configure, (slots, edge, options) => edge.Attach(slots, handler, options));
    }

    /// <summary>Adds a stage whose handler awaits, and returns what has become of its batch.</summary>
    /// <inheritdoc cref="Stage(string, SlotAction{T}, Dispatch?, IReadOnlyList{string}?, Wait?, FaultPolicy?, Func{StageOptions, StageOptions}?)"/>
    public PipelineBuilder<TSource, T> Stage(
        string name,
        IAsyncOutcomeHandler<T> handler,
        Dispatch? dispatch = null,
        IReadOnlyList<string>? after = null,
        Wait? wait = null,
        FaultPolicy? onFault = null,
        Func<StageOptions, StageOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Add(
            name, after, dispatch, wait, onFault, configure, (slots, edge, options) => edge.Attach(slots, handler, options), awaits: true);
    }

    /// <summary>Adds a stage with a struct handler that returns what has become of its batch: its calls are direct.</summary>
    /// <inheritdoc cref="Stage(string, SlotAction{T}, Dispatch?, IReadOnlyList{string}?, Wait?, FaultPolicy?, Func{StageOptions, StageOptions}?)"/>
    public PipelineBuilder<TSource, T> StageOfOutcomes<THandler>(
        string name,
        THandler handler,
        Dispatch? dispatch = null,
        IReadOnlyList<string>? after = null,
        Wait? wait = null,
        FaultPolicy? onFault = null,
        Func<StageOptions, StageOptions>? configure = null)
        where THandler : struct, IOutcomeHandler<T> =>
        Add(name, after, dispatch, wait, onFault, configure, (slots, edge, options) => edge.AttachOutcomes(slots, handler, options));
}
