namespace Raceway.Rings;

/// <summary>Adds columns of slots to a ring.</summary>
/// <example>
/// <code>
/// Slots&lt;decimal> prices = ring.AddColumn&lt;decimal>();  // a price at the sequence of each order
/// Stage price = ring.Slots.Subscribe(new Price(), prices);
/// prices.Subscribe(static (ref decimal price) => Console.WriteLine(price), new StageOptions { After = [price] });
///
/// internal sealed class Price : IMapHandler&lt;Order, decimal>
/// {
///     public void OnBatch(Batch&lt;Order> source, Batch&lt;decimal> results)
///     {
///         for (int i = 0; i &lt; source.Count; i++) results[i] = source[i].Pieces * 0.25m;
///     }
/// }
/// </code>
/// </example>
public static class RingColumns
{
    /// <summary>A further column on the same sequences, for a stage that changes the type.</summary>
    /// <param name="ring">The ring that has the sequences.</param>
    /// <param name="create">Makes the object of each slot, if the type is a class with objects that are reused.</param>
    /// <typeparam name="T">What its slots hold.</typeparam>
    /// <remarks>Its slots keep what they hold until they are overwritten a lap later.</remarks>
    public static Slots<T> AddColumn<T>(this Ring ring, Func<T>? create = null)
    {
        ArgumentNullException.ThrowIfNull(ring);
        return new Slots<T>(ring, new SlotMemory<T>(ring.Sequencer.Memory, ring.Capacity), ring.Capacity, create);
    }
}
