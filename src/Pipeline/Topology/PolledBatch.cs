using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>What a poll gave: items that are the caller's until <see cref="Dispose"/>, or none.</summary>
/// <typeparam name="T">The item type.</typeparam>
public readonly ref struct PolledBatch<T>
{
    private readonly Poller<T>? _poller;
    private readonly int _loan;

    internal PolledBatch(PollStatus status) => Status = status;

    internal PolledBatch(Poller<T> poller, int loan, Batch<T> items)
    {
        _poller = poller;
        _loan = loan;
        Items = items;
        Status = PollStatus.Items;
    }

    /// <summary>Whether there are items, and if not, why.</summary>
    public PollStatus Status { get; }

    /// <summary>The items, in two spans; <see cref="Batch{T}.Complete"/> releases some of them before the others.</summary>
    public Batch<T> Items { get; }

    /// <summary>Number of items; 0 where there are none.</summary>
    public int Count => Items.Count;

    /// <summary>Walks the items by reference.</summary>
    public Batch<T>.Enumerator GetEnumerator() => Items.GetEnumerator();

    /// <summary>
    /// The items could not be handled: the stage's fault policy decides, as if a handler had thrown. Those marked by
    /// <see cref="Batch{T}.Complete"/> are done. Under *skip* the rest comes again in halves, until the item
    /// that fails is alone.
    /// </summary>
    public void Fail(Exception fault)
    {
        ArgumentNullException.ThrowIfNull(fault);
        _poller?.Close(_loan, fault);
    }

    /// <summary>The items are done: later stages, or producers, may have them. Does nothing the second time.</summary>
    public void Dispose() => _poller?.Close(_loan, null);
}

/// <summary>What a poll found.</summary>
public enum PollStatus
{
    /// <summary>Items.</summary>
    Items,

    /// <summary>Nothing at the moment.</summary>
    Idle,

    /// <summary>Nothing any more: the pipeline has ended.</summary>
    Ended,
}
