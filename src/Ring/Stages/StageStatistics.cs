namespace Raceway.Rings;

/// <summary>What a stage has done so far; a snapshot, its figures taken one after another.</summary>
public sealed record StageStatistics
{
    /// <summary>The stage.</summary>
    public required string Name { get; init; }

    /// <summary>Batches handled.</summary>
    public long Batches { get; init; }

    /// <summary>Items handled, not counting skipped ones.</summary>
    public long Items { get; init; }

    /// <summary>Items published that the stage has not passed; clamped to 0..capacity.</summary>
    public long Lag { get; init; }

    /// <summary>Exceptions of the handler.</summary>
    public long Faults { get; init; }

    /// <summary>Items passed over by policy or by their handler's wish; dead letters and dropped ones included.</summary>
    public long Skipped { get; init; }

    /// <summary>Items handed to a dead-letter sink.</summary>
    public long DeadLettered { get; init; }

    /// <summary>Items passed over because others came faster than they could be handled, see <see cref="Batch{T}.Drop"/>.</summary>
    public long Dropped { get; init; }

    /// <summary>Attempts beyond the first.</summary>
    public long Retries { get; init; }

    /// <summary>Given-up claims passed over.</summary>
    public long Tombstones { get; init; }

    /// <summary>Times the stage's driver found nothing to do and waited.</summary>
    public long Waits { get; init; }

    /// <summary>Waits that put the thread to sleep.</summary>
    public long Parks { get; init; }

    /// <summary>Interrupts swallowed while asleep.</summary>
    public long Interrupts { get; init; }

    /// <summary>Batches by <see cref="CloseReason"/>, in its order.</summary>
    public required IReadOnlyList<long> CloseReasons { get; init; }

    /// <summary>Batches by size: entry n counts those of 2ⁿ to 2ⁿ⁺¹ − 1 items.</summary>
    public required IReadOnlyList<long> BatchSizes { get; init; }

    /// <summary>Items a batch, on average; 0 before the first.</summary>
    public double MeanBatch => Batches == 0 ? 0 : (double)Items / Batches;
}
