using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>Which items a stage handles of those that it passes: attaches handlers of every kind behind what decides it.</summary>
/// <remarks>
/// A stage with such an input is an ordinary stage: its handler has a handler around it. Progress, gating, waiting, faults and
/// drivers are the ring's, and know nothing of inputs.
/// </remarks>
/// <param name="Selection">The items selected.</param>
/// <param name="Share">What it shares with other workers; null where it has its items to itself.</param>
internal readonly record struct StageInput(SelectionSet Selection, WorkShare? Share = null)
{
    /// <summary>Whether it is every item, for one stage.</summary>
    public bool IsPlain => Selection.IsAll && Share is null;

    /// <summary>Attaches a delegate.</summary>
    public Stage Attach<T>(Slots<T> slots, SlotAction<T> handler, StageOptions options) => IsPlain
        ? slots.Subscribe(handler, options)
        : AttachEvents(slots, new DelegateHandler<T>(handler), options);

    /// <summary>Attaches a handler of single items that is a class.</summary>
    public Stage Attach<T>(Slots<T> slots, IEventHandler<T> handler, StageOptions options) => IsPlain
        ? slots.Subscribe(handler, options)
        : AttachEvents(slots, new ClassHandler<T>(handler), options);

    /// <summary>Attaches a handler of batches that is a class.</summary>
    public Stage Attach<T>(Slots<T> slots, IBatchHandler<T> handler, StageOptions options) =>
        AttachBatches(slots, handler, options);

    /// <summary>Attaches a handler that awaits.</summary>
    public Stage Attach<T>(Slots<T> slots, IAsyncBatchHandler<T> handler, StageOptions options)
    {
        if (!Selection.IsAll) handler = new SelectedAsync<T>(Selection, handler);
        if (Share is not null) handler = new SharedAsync<T>(Share, handler);
        return slots.Subscribe(handler, options);
    }

    /// <summary>Attaches a handler that returns what has become of its batch.</summary>
    /// <exception cref="ArgumentException">It is not for every item.</exception>
    public Stage Attach<T>(Slots<T> slots, IOutcomeHandler<T> handler, StageOptions options)
    {
        CheckPlain(options);
        return slots.Subscribe(handler, options);
    }

    /// <inheritdoc cref="Attach{T}(Slots{T}, IOutcomeHandler{T}, StageOptions)"/>
    public Stage Attach<T>(Slots<T> slots, IAsyncOutcomeHandler<T> handler, StageOptions options)
    {
        CheckPlain(options);
        return slots.Subscribe(handler, options);
    }

    /// <inheritdoc cref="Attach{T}(Slots{T}, IOutcomeHandler{T}, StageOptions)"/>
    public Stage AttachOutcomes<T, THandler>(Slots<T> slots, THandler handler, StageOptions options)
        where THandler : struct, IOutcomeHandler<T>
    {
        CheckPlain(options);
        return slots.SubscribeOutcomes(handler, options);
    }

    /// <summary>Attaches a handler of same-key batches.</summary>
    public Stage AttachKeys<T, TKey>(
        Slots<T> slots, KeySelector<T, TKey> key, IKeyHandler<T, TKey> handler, StageOptions options)
        where TKey : notnull, IEquatable<TKey> =>
        slots.Subscribe(new GroupedByKey<T, TKey>(Selection, slots, key, handler), options);

    /// <summary>Attaches a handler that maps.</summary>
    public Stage AttachMaps<T, TOut, THandler>(
        Slots<T> slots, THandler handler, Slots<TOut> results, StageOptions options)
        where THandler : IMapHandler<T, TOut> =>
        AttachBatches(slots, new MapAdapter<T, TOut, THandler>(handler, results), options);

    /// <summary>Attaches a handler of batches.</summary>
    public Stage AttachBatches<T, THandler>(Slots<T> slots, THandler handler, StageOptions options)
        where THandler : IBatchHandler<T> => Selection.IsAll
            ? Shared<T, THandler>(slots, handler, options)
            : Shared<T, SelectedBatches<T, THandler>>(slots, new(Selection, handler), options);

    /// <summary>Attaches a handler of single items.</summary>
    public Stage AttachEvents<T, THandler>(Slots<T> slots, THandler handler, StageOptions options)
        where THandler : IEventHandler<T>
    {
        if (IsPlain) return slots.AttachEvent(handler, options);
        // One by one is what it does with a batch anyway; what its batches are, it must be told.
        options = options with { Dispatch = options.Dispatch.AsBatch() };
        return Shared<T, SelectedEvents<T, THandler>>(slots, new(Selection, handler), options);
    }

    // "The first n" of a run is not the first n of the batch.
    private void CheckPlain(StageOptions options)
    {
        if (IsPlain) return;
        throw new ArgumentException(
            $"A handler that returns outcomes must be for every item: stage='{options.Name}' follows a filter or router, or is one of several workers. "
            + "Use a handler of batches, with Complete for what is done and an exception for the item that fails.", nameof(options));
    }

    private Stage Shared<T, THandler>(Slots<T> slots, THandler handler, StageOptions options)
        where THandler : IBatchHandler<T> => Share is null
            ? slots.AttachBatch(handler, options)
            : slots.AttachBatch(new SharedBatches<T, THandler>(Share, handler), options);
}
