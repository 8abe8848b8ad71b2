namespace Raceway.Rings;

/// <summary>What a ring with slots of <typeparamref name="T"/> is built from. Everything has a default.</summary>
/// <typeparam name="T">The item type.</typeparam>
/// <example>
/// <code>
/// List&lt;string> left = [];
/// await using var ring = new RingBuffer&lt;Quote>(1024, new()
/// {
///     CreateSlot = static () => new Quote(),  // slots keep their objects: a publish fills one and allocates nothing
///     OnUnprocessed = (ref Quote quote) => left.Add(quote.Symbol),
/// });
/// </code>
/// </example>
public sealed record RingOptions<T> : RingOptions
{
    /// <summary>Makes the object of each slot, once, if T is a class with objects that are reused. Default: none.</summary>
    /// <remarks>
    /// The objects stay the slots' own: fill them by a writer (<see cref="Producer{T}.Publish{TState}(TState, SlotWriter{T, TState})"/>)
    /// or through a claim. Publishing an item would replace a slot's object, so it throws
    /// <see cref="InvalidOperationException"/> if T is or holds a reference. Without CreateSlot a slot of a class holds null, or
    /// the item published a lap before, until one is assigned.
    /// </remarks>
    public Func<T>? CreateSlot { get; init; }

    /// <summary>
    /// Whether slots are cleared once every stage has passed them, so that they keep nothing alive.
    /// Default: where T holds references and <see cref="CreateSlot"/> is not used.
    /// </summary>
    public bool? ClearSlots { get; init; }

    /// <summary>Where the <see cref="Rings.Payload"/> lies in an item, for rings that own variable-size bytes. Default: none.</summary>
    public PayloadAccessor<T>? Payload { get; init; }

    /// <summary>The rest of what payloads need.</summary>
    public PayloadOptions PayloadOptions { get; init; } = new();

    /// <summary>
    /// Called, after a halt or fault, for each item that not every last stage had passed, in order, on one thread.
    /// </summary>
    public SlotAction<T>? OnUnprocessed { get; init; }
}
