namespace Raceway.Rings;

/// <summary>What a handler says has become of its batch, where it returns that (<see cref="IOutcomeHandler{T}"/>).</summary>
/// <remarks>
/// <para>Items before the one that is named are done: their progress is published before anything else happens. Those behind
/// it are owed: offered again first, whatever the minimum of a batch, and never out of order. Items are counted from 0.</para>
/// <para>Items marked by <see cref="Batch{T}.Complete"/> or <see cref="Batch{T}.Drop"/> stay so: an outcome names an item that
/// is not marked yet. One that does not, or that is behind the batch, is a fault of the handler, of the whole rest of its
/// batch.</para>
/// <para><b>Cost</b>: nothing is allocated, but the exception of a stop or a dead letter that has no cause of its own.</para>
/// </remarks>
public readonly record struct BatchOutcome
{
    private BatchOutcome(OutcomeKind kind, int index, TimeSpan delay, Exception? cause)
    {
        if (index < 0) throw HandlingErrors.OutcomeIndex(index);
        Kind = kind;
        Index = index;
        Delay = delay;
        Cause = cause;
    }

    /// <summary>All of it is done. The default.</summary>
    public static BatchOutcome Done => default;

    internal OutcomeKind Kind { get; }

    internal int Index { get; }

    internal TimeSpan Delay { get; }

    internal Exception? Cause { get; }

    /// <summary>The first <paramref name="n"/> are done; the rest is offered again, with what has come meanwhile.</summary>
    /// <remarks>
    /// Where some are done, at once. Where none is, the stage rests until more has come that can join them, for 1 ms at the
    /// most: a handler that never consumes keeps no core busy, but holds its slots, and a drain runs into its timeout.
    /// </remarks>
    /// <param name="n">0 to the size of the batch, where it is the same as <see cref="Done"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException">Below 0.</exception>
    public static BatchOutcome Consumed(int n) => new(OutcomeKind.Consumed, n, TimeSpan.Zero, null);

    /// <summary>The first <paramref name="n"/> are done; the rest is offered again after <paramref name="delay"/>.</summary>
    /// <remarks>Counted as a retry. How often is for the handler to decide: nothing else ends it.</remarks>
    /// <param name="n">0 to the last item of the batch.</param>
    /// <param name="delay">Zero: at once; a handler that asks for nothing else then keeps its thread busy.</param>
    /// <exception cref="ArgumentOutOfRangeException">A value is below 0.</exception>
    public static BatchOutcome RetryFrom(int n, TimeSpan delay = default)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(delay, TimeSpan.Zero);
        return new BatchOutcome(OutcomeKind.RetryFrom, n, delay, null);
    }

    /// <summary>
    /// The items before <paramref name="n"/> are done, that one is passed over and counted as skipped; the rest is offered again.
    /// </summary>
    /// <inheritdoc cref="RetryFrom"/>
    public static BatchOutcome Skip(int n) => new(OutcomeKind.Skip, n, TimeSpan.Zero, null);

    /// <summary>The same, and the item is handed to the dead-letter sink of the stage's <see cref="FaultPolicy"/> first.</summary>
    /// <remarks>A stage without such a sink takes it for a fault of the handler.</remarks>
    /// <param name="n">0 to the last item of the batch.</param>
    /// <param name="cause">What the sink is told; null for an exception that says no more than that it was returned.</param>
    /// <exception cref="ArgumentOutOfRangeException">Below 0.</exception>
    public static BatchOutcome DeadLetter(int n, Exception? cause = null) => new(OutcomeKind.DeadLetter, n, TimeSpan.Zero, cause);

    /// <summary>What is not marked as done stays unprocessed, and the ring faults: blocked producers are told.</summary>
    /// <param name="cause">What they are told; null for an exception that says no more than that it was returned.</param>
    public static BatchOutcome Stop(Exception? cause = null) => new(OutcomeKind.Stop, 0, TimeSpan.Zero, cause);

    /// <summary>The outcome as it is written.</summary>
    public override string ToString() => Kind switch
    {
        OutcomeKind.Done or OutcomeKind.Stop => $"{Kind}",
        OutcomeKind.RetryFrom => $"{Kind}({Index}, {Delay})",
        _ => $"{Kind}({Index})",
    };

    /// <summary>Whether anything of a batch of <paramref name="count"/> is left to deal with.</summary>
    internal bool Leaves(int count) => Kind != OutcomeKind.Done && !(Kind == OutcomeKind.Consumed && Index == count);

    internal void Check(string stage, int marked, int count)
    {
        if (Kind != OutcomeKind.Stop && (Index < marked || Index >= count)) throw HandlingErrors.Outcome(stage, this, marked, count);
    }
}

/// <summary>The outcomes.</summary>
internal enum OutcomeKind
{
    Done,
    Consumed,
    RetryFrom,
    Skip,
    DeadLetter,
    Stop,
}
