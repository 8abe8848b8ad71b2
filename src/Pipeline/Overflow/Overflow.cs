using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>
/// What a stage does that cannot keep up: handlers around its own, which pass over items that newer ones make stale. Other
/// stages see every item: a slow side branch drops, the main chain loses nothing.
/// </summary>
/// <remarks>
/// <para>To drop at the producer instead, see <see cref="DroppingProducer{T}"/>. By default nothing is dropped, and a
/// producer waits.</para>
/// <para>What is passed over is released before the handler is called, counted as skipped and as dropped
/// (<see cref="StageStatistics.Dropped"/>), and handed to <c>dropped</c>, which runs on the stage's thread and copies what it
/// keeps; where it throws, that is a fault of the stage at that item.</para>
/// <para><b>Blocking</b>: a stage drops between two calls of its handler. While one call lasts, the slots behind it stay
/// taken, and once the ring is full producers wait for it (or drop, by a <see cref="DroppingProducer{T}"/>): the ring must
/// hold what comes within the longest call.</para>
/// <para><b>Cost</b>: nothing is allocated an item. They can be put round each other.</para>
/// </remarks>
/// <example>
/// <code>
/// await using Pipeline&lt;Order> pipeline = Pipeline.Of&lt;Order>(1024)
///     .Fork(
///         one => one.Stage("book", write),                                                   // sees every order
///         two => two.Stage("screen", Overflow.ConflateByKey((in Order order) => order.Id, write)))  // the newest of each
///     .Run();
/// </code>
/// </example>
public static class Overflow
{
    /// <summary>
    /// Where more than <paramref name="keep"/> items are waiting when a batch begins, the oldest of them are passed over.
    /// </summary>
    /// <param name="keep">The most that may wait, 1 or more.</param>
    /// <param name="handler">Handles the others, in their order.</param>
    /// <param name="dropped">Is given each item that is passed over, in their order.</param>
    /// <typeparam name="T">The item type.</typeparam>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="keep"/> is below 1.</exception>
    public static IBatchHandler<T> KeepLatest<T>(int keep, IBatchHandler<T> handler, SlotAction<T>? dropped = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return new LatestHandler<T>(Checked(keep), handler, dropped);
    }

    /// <inheritdoc cref="KeepLatest{T}(int, IBatchHandler{T}, SlotAction{T}?)"/>
    public static IBatchHandler<T> KeepLatest<T>(int keep, IEventHandler<T> handler, SlotAction<T>? dropped = null)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return new LatestHandler<T>(Checked(keep), OfEvents(handler), dropped);
    }

    /// <summary>
    /// Of the items of a batch that have the same key, only the latest is handled; those before it are passed over.
    /// </summary>
    /// <remarks>
    /// <para>Survivors come in the order of their sequences, in runs of neighbours. A batch is what is readable, up to
    /// <see cref="Dispatch.Max"/>: with a larger one more is conflated. In a batch of more than 1,024 keys that is done in
    /// parts, and a key may survive once in each. If a fault makes the stage call a batch again in halves, each half
    /// is conflated by itself.</para>
    /// <para>A selector that throws, or returns null, is a fault of the stage at that item.</para>
    /// <para><b>Cost</b>: a call of the selector and a look-up an item; 30 KiB and the keys of one batch for the table, and a
    /// bit for each item of the largest batch.</para>
    /// </remarks>
    /// <param name="key">The key of an item.</param>
    /// <param name="handler">Handles the latest of each key.</param>
    /// <param name="dropped">Is given each item that is passed over, in their order.</param>
    /// <typeparam name="T">The item type.</typeparam>
    /// <typeparam name="TKey">The key type.</typeparam>
    public static IBatchHandler<T> ConflateByKey<T, TKey>(
        KeySelector<T, TKey> key, IBatchHandler<T> handler, SlotAction<T>? dropped = null)
        where TKey : notnull, IEquatable<TKey>
    {
        ArgumentNullException.ThrowIfNull(key);
        ArgumentNullException.ThrowIfNull(handler);
        return new ConflatingHandler<T, TKey>(key, handler, dropped);
    }

    /// <inheritdoc cref="ConflateByKey{T, TKey}(KeySelector{T, TKey}, IBatchHandler{T}, SlotAction{T}?)"/>
    public static IBatchHandler<T> ConflateByKey<T, TKey>(
        KeySelector<T, TKey> key, IEventHandler<T> handler, SlotAction<T>? dropped = null)
        where TKey : notnull, IEquatable<TKey>
    {
        ArgumentNullException.ThrowIfNull(key);
        ArgumentNullException.ThrowIfNull(handler);
        return new ConflatingHandler<T, TKey>(key, OfEvents(handler), dropped);
    }

    /// <summary>Passes over the items from <paramref name="start"/> to before <paramref name="end"/>; all before them is done.</summary>
    internal static void Drop<T>(Batch<T> batch, int start, int end, SlotAction<T>? dropped)
    {
        int at = start;
        try
        {
            if (dropped is null) at = end;
            else for (; at < end; at++) dropped(ref batch[at]);
        }
        catch
        {
            batch.Drop(at);
            batch.FailAt(at);
            throw;
        }

        batch.Drop(end);
    }

    private static SelectedEvents<T, IEventHandler<T>> OfEvents<T>(IEventHandler<T> handler) =>
        new(SelectionSet.All, handler);

    private static int Checked(int keep) =>
        keep >= 1 ? keep : throw new ArgumentOutOfRangeException(
            nameof(keep), keep, $"A stage must keep one item at least: keep={keep}. Use 1 or more.");
}
