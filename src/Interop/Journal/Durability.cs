namespace Raceway.Interop.Journal;

/// <summary>When a journal syncs what it has written, and so what a power cut may take.</summary>
/// <example>
/// <code>
/// JournalOptions options = new() { Durability = Durability.Every(TimeSpan.FromMilliseconds(10)) };
/// using Journal&lt;Order> journal = Journal&lt;Order>.Open("data/orders", JournalCodec.Unmanaged&lt;Order>(), options);
/// </code>
/// </example>
public sealed class Durability
{
    private Durability(TimeSpan? interval) => Interval = interval;

    /// <summary>Each batch is synced before the stages behind the journal see it. A power cut takes nothing that was acknowledged. The default.</summary>
    public static Durability EachBatch { get; } = new(TimeSpan.Zero);

    /// <summary>Written at once, never synced but at the end of a segment: the kill of a process takes nothing, a power cut may
    /// take anything of the last segment.</summary>
    public static Durability LeftToTheSystem { get; } = new(null);

    /// <summary>Written at once and synced at an interval. Stages behind the journal see what is <em>written</em>; a durable
    /// publish waits for the sync. A power cut takes at most what was published since the last sync began.</summary>
    /// <param name="interval">From one sync to the next. A timer counts whole milliseconds, so it is 1 ms or more: a shorter one counts as that.</param>
    public static Durability Every(TimeSpan interval) =>
        interval > TimeSpan.Zero && interval.TotalMilliseconds < int.MaxValue
            ? new(TimeSpan.FromTicks(Math.Max(interval.Ticks, TimeSpan.TicksPerMillisecond)))
            : throw JournalErrors.Interval(interval);

    /// <summary>Zero for each batch, null for never.</summary>
    internal TimeSpan? Interval { get; }

    /// <summary>Its name.</summary>
    public override string ToString() =>
        Interval is not { } interval ? nameof(LeftToTheSystem) : interval == TimeSpan.Zero ? nameof(EachBatch) : $"{nameof(Every)}({interval})";
}
