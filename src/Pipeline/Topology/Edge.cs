using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>Which items a stage handles of those that it passes: attaches handlers of every kind behind what decides it.</summary>
/// <remarks>
/// A stage on an edge is an ordinary stage whose handler has a handler around it: progress, gating, waiting, faults and
/// drivers are the ring's, and know nothing of edges.
/// </remarks>
/// <param name="Selection">The items selected.</param>
/// <param name="Share">What it shares with other workers; null where it has its items to itself.</param>
internal readonly record struct Edge(SelectionSet Selection, WorkShare? Share = null)
{
    private bool IsPlain => Selection.IsAll && Share is null;

    /// <summary>Attaches a handler of batches.</summary>
    public Stage AttachBatches<T, THandler>(Slots<T> slots, THandler handler, StageOptions options)
        where THandler : IBatchHandler<T> => Selection.IsAll
            ? Attach<T, THandler>(slots, handler, options)
            : Attach<T, SelectedBatches<T, THandler>>(slots, new(Selection, handler), options);

    /// <summary>Attaches a handler of single items.</summary>
    public Stage AttachEvents<T, THandler>(Slots<T> slots, THandler handler, StageOptions options)
        where THandler : IEventHandler<T>
    {
        if (IsPlain) return slots.AttachEvent(handler, options);
        // One by one is what it does with a batch anyway; what its batches are, it must be told.
        if (options.Dispatch is { Level: DispatchLevel.Each } each)
            options = options with { Dispatch = Dispatch.Batch(each.Max, each.Min, each.MaxAge, each.ProgressInterval) };
        return Attach<T, SelectedEvents<T, THandler>>(slots, new(Selection, handler), options);
    }

    /// <summary>Attaches a handler that awaits.</summary>
    public Stage AttachAsync<T>(Slots<T> slots, IAsyncBatchHandler<T> handler, StageOptions options)
    {
        if (!Selection.IsAll) handler = new SelectedAsync<T>(Selection, handler);
        if (Share is not null) handler = new SharedAsync<T>(Share, handler);
        return slots.Subscribe(handler, options);
    }

    private Stage Attach<T, THandler>(Slots<T> slots, THandler handler, StageOptions options)
        where THandler : IBatchHandler<T> => Share is null
            ? slots.AttachBatch(handler, options)
            : slots.AttachBatch(new SharedBatches<T, THandler>(Share, handler), options);
}
