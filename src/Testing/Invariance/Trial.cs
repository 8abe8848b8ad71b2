using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Testing;

/// <summary>One run of the handlers under test: what <see cref="DispatchInvariance"/> gives to the test to fill in.</summary>
/// <remarks>Make everything anew in each: handlers, fakes, lists. What outlives a run makes the next one differ.</remarks>
/// <typeparam name="T">The item.</typeparam>
/// <example>
/// <code>
/// DispatchInvariance.Check&lt;Payment, FakeAccounts, int>(
///     payments,
///     static (Trial&lt;Payment> trial) =>
///     {
///         var accounts = new FakeAccounts(trial.Faults);
///         trial.Pipeline.Stage("book", new Booking(accounts));
///         return accounts;
///     },
///     static accounts => accounts.Booked.Count);
/// </code>
/// </example>
public sealed class Trial<T>
{
    private RingBuffer<T>? _ring;

    internal Trial(int capacity)
    {
        // Three of them: more than one run ever injects.
        Pipeline = Pipelines.Pipeline.Of<T>(capacity).OnFault(FaultPolicy.Retry(3)).Configure(ring => ring with { Time = Time });
        Publisher = new Publisher<T>(() => _ring ?? throw new InvalidOperationException(
            "A trial's publisher is for handlers: no item is published before the pipeline is built. Use it in a handler."));
    }

    /// <summary>The definition: add the stages. Their faults are retried unless a stage says otherwise.</summary>
    public PipelineBuilder<T, T> Pipeline { get; }

    /// <summary>For the fakes that the handlers use: where they visit a point, runs let them fail.</summary>
    public FaultPoints Faults { get; } = new();

    /// <summary>The time of the pipeline, for handlers and fakes that need one.</summary>
    public VirtualTime Time { get; } = new();

    /// <summary>For handlers that publish into their own pipeline.</summary>
    public Publisher<T> Publisher { get; }

    internal SlotWriter<T, T>? Write { get; private set; }

    /// <summary>Says how an item is published if the slots own their objects (<see cref="RingOptions{T}.CreateSlot"/>).</summary>
    /// <param name="write">Copies what the given item holds into the slot's object.</param>
    public void FillBy(SlotWriter<T, T> write)
    {
        ArgumentNullException.ThrowIfNull(write);
        Write = write;
    }

    internal void Built(Pipeline<T> pipeline) => _ring = pipeline.Ring;
}
