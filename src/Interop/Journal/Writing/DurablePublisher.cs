using Raceway.Interop.Journal.Writing;
using Raceway.Rings;

namespace Raceway.Interop.Journal;

/// <summary>Publishes items, and completes when they are stored.</summary>
/// <remarks>
/// <para><b>Threads</b>: any, one after another on the producer; they wait for the disk beside each other, so the items of many
/// callers share a sync.</para>
/// <para><b>Blocking</b>: never. Where the ring is full, the task waits for room.</para>
/// <para><b>Cost</b>: pooled tasks; await each once.</para>
/// <para><b>Errors</b>: if the journal fails, or the pipeline ends before the item is stored, the task fails. Whether the item
/// is stored is then known when the journal has been opened again.</para>
/// </remarks>
/// <typeparam name="T">The item type.</typeparam>
/// <example>
/// <code>
/// DurablePublisher&lt;Order> durable = journal.CreatePublisher(producer);
/// await durable.PublishAsync(order, cancellation);  // completes when the order is on the disk
/// </code>
/// </example>
public sealed class DurablePublisher<T>
{
    private readonly Journal<T> _journal;
    private readonly Producer<T> _producer;
    private readonly PublishingTurn<T> _turn;

    internal DurablePublisher(Journal<T> journal, Producer<T> producer)
    {
        _journal = journal;
        _producer = producer;
        _turn = new PublishingTurn<T>(journal, producer);
        // This thread may have used it.
        Leave();
    }

    /// <summary>Copies <paramref name="item"/> into a slot, and completes when it is stored.</summary>
    /// <exception cref="JournalException">The journal has failed.</exception>
    /// <exception cref="RingStoppedException">The ring takes no more items.</exception>
    /// <exception cref="OperationCanceledException">Cancelled. An item that has its slot is stored all the same.</exception>
    public ValueTask PublishAsync(T item, CancellationToken cancellation = default) =>
        PublishAsync(item, static (ref T slot, T state) => slot = state, cancellation);

    /// <summary>Lets <paramref name="write"/> fill a slot, and completes when the item is stored.</summary>
    /// <param name="state">What it is given.</param>
    /// <param name="write">Fills the slot; what it throws is thrown, and nothing is published. If the call has to wait for room or
    /// for other callers, it runs on another thread.</param>
    /// <param name="cancellation">Ends the wait. An item that has its slot is stored all the same.</param>
    /// <inheritdoc cref="PublishAsync(T, CancellationToken)"/>
    public ValueTask PublishAsync<TState>(TState state, SlotWriter<T, TState> write, CancellationToken cancellation = default)
    {
        ArgumentNullException.ThrowIfNull(write);
        if (cancellation.IsCancellationRequested) return ValueTask.FromCanceled(cancellation);
        if (!_turn.TryTake()) return _turn.Add(state, write, cancellation);
        long sequence = -1;
        try
        {
            if (!TryPublish(state, write, out sequence))
            {
                // The wait begins here: a handler of this ring is told that it would wait for itself. The wait is that of all calls,
                // so none of their tokens ends it.
                ValueTask<bool> room = _producer.WaitForRoomAsync(cancellation: CancellationToken.None);
                return _turn.AddAndWait(state, write, room, cancellation);
            }
        }
        catch (Exception fault)
        {
            _turn.Pass();
            return ValueTask.FromException(fault);
        }

        _turn.Pass();
        return _journal.WaitForRingAsync(sequence, cancellation);
    }

    private bool TryPublish<TState>(TState state, SlotWriter<T, TState> write, out long sequence)
    {
        sequence = -1;
        try
        {
            ClaimStatus status = _producer.TryClaim(1, out Claim<T> claim);
            if (status == ClaimStatus.Full) return false;
            if (status != ClaimStatus.Done) throw _producer.Ring.Refusal();
            try
            {
                write(ref claim.Slot, state);
                sequence = claim.Sequence;
                claim.Commit();
            }
            finally
            {
                claim.Dispose();
            }

            return true;
        }
        finally
        {
            Leave();
        }
    }

    // The next caller is another thread.
    private void Leave() => _producer.TryReleaseThread();
}
