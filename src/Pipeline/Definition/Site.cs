using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>Where a stage is attached: a ring, with the columns that its stages read and write.</summary>
/// <param name="ring">The ring.</param>
/// <param name="main">The column of the definition that its producer publishes.</param>
/// <param name="segments">The first ring of each segment.</param>
internal sealed class Site(Ring ring, Column main, IReadOnlyDictionary<Segment, Ring> segments)
{
    private readonly Dictionary<Column, object> _slots = [];

    public Ring Ring { get; } = ring;

    /// <summary>What its producer publishes.</summary>
    public Column Main => main;

    /// <summary>The slots of <paramref name="column"/> here; a further column is added when it is first asked for.</summary>
    public Slots<T> Of<T>(Column<T> column)
    {
        if (ReferenceEquals(column, main)) return ((RingBuffer<T>)Ring).Slots;
        if (_slots.TryGetValue(column, out object? slots)) return (Slots<T>)slots;
        Slots<T> added = Ring.AddColumn(column.Options.CreateSlot);
        _slots.Add(column, added);
        return added;
    }

    /// <summary>The ring that is published into for <paramref name="segment"/>.</summary>
    public RingBuffer<T> RingOf<T>(Segment segment) => (RingBuffer<T>)segments[segment];
}
