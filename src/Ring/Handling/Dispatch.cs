namespace Raceway.Rings;

/// <summary>How a stage calls its handler and tells the next stage of its progress. Immutable; may be changed live.</summary>
/// <remarks>
/// Three levels. <see cref="Single()"/>: a call, progress and a wake check a message — per-message dispatch as a queue
/// between two threads does it. <see cref="Each"/>: a call a message, progress a batch. <see cref="Batch"/>: a call a
/// batch. The stage reads the policy once a batch, so a change takes effect with the next one.
/// </remarks>
/// <example>
/// <code>
/// Stage stage = ring.Subscribe(write, Dispatch.Batch(max: 64));
/// ring.Start();
/// stage.Dispatch = Dispatch.Single;                                              // from the next call on
/// stage.Dispatch = Dispatch.Batch(min: 16, maxAge: TimeSpan.FromMilliseconds(5));  // waits for 16, at most 5 ms
/// </code>
/// </example>
public sealed record Dispatch
{
    /// <summary>
    /// The largest batch of a large ring where no limit is given: long enough to amortise a hand-over, short enough to release
    /// slots early. In a ring of less than four times as many slots it is a quarter of the capacity, but 1,024 at least.
    /// A handler that takes all (<see cref="IWholeBatchHandler"/>) has no such limit.
    /// </summary>
    public const int DefaultMax = 4096;

    private const int LeastDefaultMax = 1024;

    private const long NoWeight = long.MaxValue;

    private Dispatch(
        DispatchLevel level, int? max, int min, TimeSpan maxAge, int progressInterval, long maxWeight = NoWeight)
    {
        if (max is { } given) ArgumentOutOfRangeException.ThrowIfLessThan(given, 1, nameof(max));
        ArgumentOutOfRangeException.ThrowIfLessThan(min, 1);
        ArgumentOutOfRangeException.ThrowIfNegative(progressInterval);
        if (min > max) throw HandlingErrors.MinAboveMax(min, max.Value);
        if (maxAge <= TimeSpan.Zero && maxAge != Timeout.InfiniteTimeSpan) throw HandlingErrors.Age(maxAge);
        if (min == 1 && maxAge != Timeout.InfiniteTimeSpan) throw HandlingErrors.AgeOfNothing(maxAge);
        if (maxWeight < 1) throw HandlingErrors.MaxWeight(maxWeight);
        Level = level;
        Max = max;
        Min = min;
        MaxAge = maxAge;
        ProgressInterval = progressInterval;
        CallSize = level == DispatchLevel.Batch ? int.MaxValue : 1;
        ReportInterval = progressInterval == 0 ? int.MaxValue : progressInterval;
        ItemsAreBatches = level == DispatchLevel.Single;
        MaxWeight = maxWeight;
        MaxAgeTicks = maxAge == Timeout.InfiniteTimeSpan ? long.MaxValue : Clock.Ticks(maxAge);
    }

    /// <summary>A call, progress and a wake check for every message.</summary>
    public static Dispatch Single { get; } =
        new(DispatchLevel.Single, null, 1, Timeout.InfiniteTimeSpan, 1);

    /// <summary>Which of the three.</summary>
    public DispatchLevel Level { get; }

    /// <summary>The most items of a batch; null where no limit is given.</summary>
    /// <value>
    /// 1 or more; at most the capacity is ever taken. No limit by default: then it follows from the capacity of the ring, see
    /// <see cref="DefaultMax"/>, and is never below <see cref="Min"/>.
    /// </value>
    public int? Max { get; }

    /// <summary>The fewest items of a batch, unless its oldest is too old, a producer waits for room, or the ring is closing.</summary>
    /// <value>Default 1. At most half the capacity of the ring.</value>
    public int Min { get; }

    /// <summary>How long the oldest item may wait for <see cref="Min"/> to be met, from when the stage first saw it.</summary>
    /// <value>Infinite by default. Only with a <see cref="Min"/> of 2 or more: without it nothing waits. Kept by the waiting stage itself: there is no timer, and it is never re-armed.</value>
    public TimeSpan MaxAge { get; }

    /// <summary>How many items may be done before the next stage is told, inside a batch. 0: at its end.</summary>
    public int ProgressInterval { get; }

    /// <summary>
    /// The most that the items of a batch may weigh together (<see cref="StageOptions.Weigher"/>; bytes of payload, unless
    /// said otherwise): a batch closes before the item that would exceed it, and holds one item at least.
    /// </summary>
    /// <value>
    /// <see cref="long.MaxValue"/>, no limit, by default. It only cuts: <see cref="Min"/> counts what is there, so a batch cut by its weight may be smaller,
    /// and what counted for a minimum together is not held back by it afterwards.
    /// </value>
    public long MaxWeight { get; }

    /// <summary>The most items of one call of a handler of batches.</summary>
    internal int CallSize { get; }

    /// <summary>After how many items progress is reported at the latest.</summary>
    internal int ReportInterval { get; }

    /// <summary>Whether a handler of items is told of each that it is the last of its batch.</summary>
    internal bool ItemsAreBatches { get; }

    /// <summary>Whether a handler of batches is given more than one item at a time.</summary>
    public bool CallsBatches => CallSize > 1;

    /// <summary>Whether there are batches with a size that can be limited: not if every item is reported by itself.</summary>
    public bool HasLimits => !ItemsAreBatches;

    internal bool HasMaxWeight => MaxWeight != NoWeight;

    internal long MaxAgeTicks { get; }

    /// <summary>A call for every message, progress for every batch.</summary>
    /// <param name="max">The most items between two reports of progress, see <see cref="Max"/>.</param>
    /// <param name="min">The fewest, see <see cref="Min"/>.</param>
    /// <param name="maxAge">See <see cref="MaxAge"/>; infinite by default.</param>
    /// <param name="progressInterval">See <see cref="ProgressInterval"/>.</param>
    /// <exception cref="ArgumentException">A limit is out of range, or there is an age and no minimum.</exception>
    public static Dispatch Each(int? max = null, int min = 1, TimeSpan? maxAge = null, int progressInterval = 0) =>
        new(DispatchLevel.Each, max, min, maxAge ?? Timeout.InfiniteTimeSpan, progressInterval);

    /// <summary>A call for every batch. A handler of single events is called for each item of it.</summary>
    /// <param name="max">The most items of a batch, see <see cref="Max"/>.</param>
    /// <param name="min">The fewest, see <see cref="Min"/>.</param>
    /// <param name="maxAge">See <see cref="MaxAge"/>; infinite by default.</param>
    /// <param name="progressInterval">See <see cref="ProgressInterval"/>.</param>
    /// <param name="maxWeight">See <see cref="MaxWeight"/>; no limit by default.</param>
    /// <exception cref="ArgumentException">A limit is out of range, or there is an age and no minimum.</exception>
    public static Dispatch Batch(
        int? max = null, int min = 1, TimeSpan? maxAge = null, int progressInterval = 0, long? maxWeight = null) =>
        new(DispatchLevel.Batch, max, min, maxAge ?? Timeout.InfiniteTimeSpan, progressInterval, maxWeight ?? NoWeight);

    /// <summary>A level with these limits, as settings have them; <see cref="Single"/> has none, and passes over them.</summary>
    /// <param name="level">Which of the three.</param>
    /// <param name="max">See <see cref="Max"/>.</param>
    /// <param name="min">See <see cref="Min"/>.</param>
    /// <param name="maxAge">See <see cref="MaxAge"/>.</param>
    /// <param name="progressInterval">See <see cref="ProgressInterval"/>.</param>
    /// <param name="maxWeight">See <see cref="MaxWeight"/>.</param>
    /// <exception cref="ArgumentException">It is no level, a limit is out of range, or there is an age and no minimum.</exception>
    public static Dispatch Of(
        DispatchLevel level, int? max, int min, TimeSpan maxAge, int progressInterval, long maxWeight) =>
        !Enum.IsDefined(level) ? throw HandlingErrors.Level(level)
        : level == DispatchLevel.Single ? Single
        : new(level, max, min, maxAge, progressInterval, maxWeight);

    /// <summary>A level with the default limits.</summary>
    /// <param name="level">Which of the three.</param>
    /// <exception cref="ArgumentException">It is none of them.</exception>
    public static Dispatch Of(DispatchLevel level) => Of(level, null, 1, Timeout.InfiniteTimeSpan, 0, NoWeight);

    /// <summary>The same with another limit; not below <see cref="Min"/>.</summary>
    internal Dispatch WithMax(int max) => new(Level, Math.Max(max, Min), Min, MaxAge, ProgressInterval, MaxWeight);

    /// <summary>The same, with nothing held back: no minimum, and no age.</summary>
    internal Dispatch WithoutMin(int? max) => new(Level, max, 1, Timeout.InfiniteTimeSpan, ProgressInterval, MaxWeight);

    /// <summary>The same batches, given to a handler whole.</summary>
    internal Dispatch AsBatch() => HasLimits ? new(DispatchLevel.Batch, Max, Min, MaxAge, ProgressInterval, MaxWeight) : this;

    /// <summary>The most items of a batch in a ring of <paramref name="capacity"/> slots: <see cref="Max"/>, or what follows where no
    /// limit is given.</summary>
    /// <param name="capacity">The slots of the ring.</param>
    public int MaxIn(int capacity) => Max ?? Math.Max(Min, Math.Clamp(capacity / 4, LeastDefaultMax, DefaultMax));

    /// <summary>Refuses a minimum that a ring of <paramref name="capacity"/> slots cannot hold back.</summary>
    /// <param name="capacity">The slots of the ring.</param>
    /// <exception cref="ArgumentException"><see cref="Min"/> is above half of them.</exception>
    public void CheckAgainst(int capacity)
    {
        if (Min > Math.Max(1, capacity / 2)) throw HandlingErrors.MinAboveHalf(Min, capacity);
    }

    /// <summary>The level and the limits that differ from the default.</summary>
    public override string ToString()
    {
        if (Level == DispatchLevel.Single) return "single";
        string text = Level == DispatchLevel.Each ? "each" : "batch";
        if (Max is not null) text += $" max {Max}";
        if (Min != 1) text += $" min {Min}";
        if (MaxAge != Timeout.InfiniteTimeSpan) text += $" age {MaxAge.TotalMilliseconds:0.###} ms";
        if (HasMaxWeight) text += $" weight {MaxWeight}";
        if (ProgressInterval != 0) text += $" progress {ProgressInterval}";
        return text;
    }
}

/// <summary>What is done for a message, and what for a batch.</summary>
public enum DispatchLevel
{
    /// <summary>Call, progress and wake check for every message.</summary>
    Single,

    /// <summary>A call for every message, progress for every batch.</summary>
    Each,

    /// <summary>A call for every batch.</summary>
    Batch,
}
