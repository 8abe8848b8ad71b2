using System.Globalization;
using System.Text;

namespace Raceway.Rings;

/// <summary>What a stage has done so far; a snapshot, its figures taken one after another.</summary>
/// <remarks>
/// Waits and times are those of the driver of the stage: of stages that are fused, or stepped together at that time, those of all of
/// them, and 0 where its caller steps it. Times are measured at waits alone, by two clock reads for each at most: between them all is work.
/// </remarks>
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

    /// <summary>Batches that were split between threads, of a stateless stage (<see cref="StageOptions.IsStateless"/>). Each counts as
    /// one batch.</summary>
    public long Split { get; init; }

    /// <summary>Parts of those batches: each was a call, or calls, by one thread.</summary>
    public long Parts { get; init; }

    /// <summary>Times the stage's driver found nothing to do and began to wait.</summary>
    public long Waits { get; init; }

    /// <summary>Waits that put the thread to sleep, or gave it back to the pool.</summary>
    public long Parks { get; init; }

    /// <summary>Time since its driver began in which it did not wait; a pending handler's task, the pauses before retries and
    /// its hooks included.</summary>
    public TimeSpan Working { get; init; }

    /// <summary>Time in which it waited for items: of producers, or of its upstream.</summary>
    public TimeSpan Starved { get; init; }

    /// <summary>Time in which it waited for room downstream. A stage of one ring alone never does: there its producers do,
    /// see <see cref="RingStatistics.Blocked"/>.</summary>
    public TimeSpan Blocked { get; init; }

    /// <summary>Time from when a sleeping stage was signalled until it ran: what waking a thread, or the queue of the thread
    /// pool, costs.</summary>
    public TimeSpan Waking { get; init; }

    /// <summary>Interrupts swallowed while asleep.</summary>
    public long Interrupts { get; init; }

    /// <summary>Batches by <see cref="CloseReason"/>, in its order.</summary>
    public required IReadOnlyList<long> CloseReasons { get; init; }

    /// <summary>Batches by size: entry n counts those of 2ⁿ to 2ⁿ⁺¹ − 1 items.</summary>
    public required IReadOnlyList<long> BatchSizes { get; init; }

    /// <summary>How many items its handler does for the price of one, see <see cref="IWideHandler"/>. Default: 1.</summary>
    public int Width { get; init; } = 1;

    /// <summary>Items a batch, on average; 0 before the first.</summary>
    public double MeanBatch => Batches == 0 ? 0 : (double)Items / Batches;

    internal static StageStatistics Of(Stage stage, in WaitCounts waits)
    {
        StageCounters counters = stage.Counters;
        StallTimes times = waits.Times;
        return new StageStatistics
        {
            Name = stage.Name,
            Width = stage.Width,
            Batches = counters.Read(Counter.Batches),
            Items = counters.Read(Counter.Items),
            Lag = stage.Lag,
            Faults = counters.Read(Counter.Faults),
            Skipped = counters.Read(Counter.Skipped),
            DeadLettered = counters.Read(Counter.DeadLettered),
            Dropped = counters.Read(Counter.Dropped),
            Retries = counters.Read(Counter.Retries),
            Tombstones = counters.Read(Counter.Tombstones),
            Split = counters.Read(Counter.Split),
            Parts = counters.Read(Counter.Parts),
            Waits = waits.Waits,
            Parks = waits.Parks,
            Interrupts = waits.Interrupts,
            Working = Clock.Span(times.Working),
            Starved = Clock.Span(times.Starved),
            Blocked = Clock.Span(times.Blocked),
            Waking = Clock.Span(times.Waking),
            CloseReasons = counters.CloseReasons(),
            BatchSizes = counters.Sizes(),
        };
    }

    /// <summary>The stage, what it has handled, and the counters that are not 0.</summary>
    public override string ToString()
    {
        var text = new StringBuilder();
        text.Append(CultureInfo.InvariantCulture, $"{Name}: {Items} items, {Batches} batches of {MeanBatch:0.#}, lag {Lag}");
        ReadOnlySpan<(string What, long Count)> counts =
        [
            ("faults", Faults), ("skipped", Skipped), ("dead-lettered", DeadLettered), ("dropped", Dropped), ("retries", Retries),
            ("tombstones", Tombstones), ("split", Split), ("parts", Parts), ("waits", Waits), ("parks", Parks), ("interrupts", Interrupts),
        ];
        foreach ((string what, long count) in counts)
            if (count != 0) text.Append(CultureInfo.InvariantCulture, $", {what} {count}");
        Append(", closed by ", CloseReasons, static index => ((CloseReason)index).ToString());
        Append(", sizes ", BatchSizes, static index => index == 0 ? "1" : $"{1L << index}-{(2L << index) - 1}");
        return text.ToString();

        void Append(string what, IReadOnlyList<long> counts, Func<int, string> name)
        {
            string[] shown =
            [
                .. Enumerable.Range(0, counts.Count).Where(index => counts[index] != 0)
                    .Select(index => string.Create(CultureInfo.InvariantCulture, $"{name(index)} {counts[index]}")),
            ];
            if (shown.Length > 0) text.Append(what).AppendJoin(", ", shown);
        }
    }
}
