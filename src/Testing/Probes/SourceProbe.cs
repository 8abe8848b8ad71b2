using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Testing;

/// <summary>The producer's side of a <see cref="PipelineHarness{T}"/>.</summary>
/// <remarks>Where there is no room, a call steps the pipeline until there is: it never blocks.</remarks>
/// <typeparam name="T">What is published.</typeparam>
/// <example>
/// <code>
/// using PipelineHarness&lt;Payment> harness = PipelineHarness.Run(Define(accounts));
/// SourceProbe&lt;Payment> source = harness.Source;
/// source.Send(payment);
/// source.Complete();
/// harness.Settle();
/// Assert.Equal(source.Sent, accounts.Booked.Count);
/// </code>
/// </example>
public sealed class SourceProbe<T>
{
    private readonly PipelineHarness<T> _harness;

    internal SourceProbe(PipelineHarness<T> harness) => _harness = harness;

    /// <summary>How many items it has published.</summary>
    public long Sent { get; private set; }

    private Publisher<T> Publisher => _harness.Pipeline.Publisher;

    /// <summary>Publishes items.</summary>
    /// <param name="items">In this order.</param>
    /// <exception cref="ContractException">There is no room, and no stage goes on.</exception>
    public void Send(params IReadOnlyList<T> items)
    {
        ArgumentNullException.ThrowIfNull(items);
        foreach (T item in items) Send(item, static (one, publisher) => publisher.TryPublish(one));
    }

    /// <summary>Publishes an item by filling its slot: for slots that own their objects.</summary>
    /// <param name="state">What <paramref name="write"/> is given.</param>
    /// <param name="write">Fills the slot.</param>
    /// <typeparam name="TState">Its type.</typeparam>
    /// <exception cref="ContractException">There is no room, and no stage goes on.</exception>
    public void Send<TState>(TState state, SlotWriter<T, TState> write)
    {
        ArgumentNullException.ThrowIfNull(write);
        Send((state, write), static (given, publisher) => publisher.TryPublish(given.state, given.write));
    }

    /// <summary>Publishes an item if there is room now.</summary>
    /// <param name="item">What to publish.</param>
    public ClaimStatus TrySend(T item)
    {
        _harness.BeforePublishing();
        return Noted(Publisher.TryPublish(item));
    }

    /// <summary>Says that no more comes.</summary>
    /// <param name="error">Why, if the source has failed.</param>
    public void Complete(Exception? error = null) => _ = _harness.Pipeline.TryComplete(error);

    private void Send<TState>(TState state, Func<TState, Publisher<T>, ClaimStatus> tryPublish)
    {
        while (true)
        {
            _harness.BeforePublishing();
            ClaimStatus status = Noted(tryPublish(state, Publisher));
            if (status == ClaimStatus.Done) return;
            if (status != ClaimStatus.Full) throw _harness.Pipeline.Ring.Refusal();
            if (!_harness.MakeRoom())
            {
                throw _harness.Breach(
                    "A producer must find room again.", $"the ring is full with {_harness.Pipeline.Backlog} items, and no stage goes on",
                    "Move the time on, resume stalled stages, or take items at the sink.");
            }
        }
    }

    private ClaimStatus Noted(ClaimStatus status)
    {
        if (status == ClaimStatus.Done) _harness.Note("publish", Sent++, 1);
        return status;
    }
}
