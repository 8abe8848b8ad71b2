namespace Raceway.Pipelines;

/// <summary>Handles what has come for one key, one call a key: the handler of a keyed lane that wants same-key batches.</summary>
/// <remarks>
/// <para><b>Threads</b>: called by its lane's thread, one call at a time. Lanes run beside each other; a handler that is
/// given to several of them is called by several threads, but never for one key at the same time.</para>
/// <para><b>Order</b>: the items of a key come in sequence order, within a call and from call to call, across retries too.
/// The keys of a lane's batch come in the order of their first items.</para>
/// <para><b>Errors</b>: an exception goes to the stage's policy. The items of this call are owed then; where there were
/// several, *skip* and *dead letter* hand halves of them over again, to find the one that fails. Calls that have returned
/// are never made again while the pipeline lives; but where it ends with the failed call owed, items of other keys behind
/// it that are done are counted as unprocessed: progress is a sequence, and has no gaps.</para>
/// </remarks>
/// <typeparam name="T">The item type.</typeparam>
/// <typeparam name="TKey">The key type.</typeparam>
/// <example>
/// <code>
/// internal sealed class Book(Accounts accounts) : IKeyHandler&lt;Order, long>
/// {
///     public void OnKey(long key, KeyedItems&lt;Order> items)
///     {
///         foreach (ref Order order in items) accounts.Book(order);
///     }
/// }
/// </code>
/// </example>
public interface IKeyHandler<T, in TKey>
{
    /// <summary>Handles <paramref name="items"/>, all of <paramref name="key"/>.</summary>
    void OnKey(TKey key, KeyedItems<T> items);
}
