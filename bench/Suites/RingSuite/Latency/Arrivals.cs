using System.Diagnostics;
using System.Runtime.CompilerServices;
using Raceway.Measuring;

namespace Raceway.Suites.RingSuite;

/// <summary>When the items of a latency case are sent, and what of them is timed.</summary>
/// <remarks>
/// <para>An open loop: item <c>i</c> is due at <c>start + i / rate</c>, whether or not the contestant has kept up. The
/// producer polls the clock until then; where it is late it sends at once. The item is the time at which it was due, so
/// a stall is charged to every item that it delays, and not to the one alone in which it happened.</para>
/// <para>The floor of the method: the producer sees that an item is due half a clock reading late on average, and the
/// handler reads the clock once an item, the same for everyone: some 20 to 30 ns each. Above about 3 · 10⁷ items a
/// second the clock readings are what is measured.</para>
/// <para>The times are reckoned as they come, and not laid down before as those of an <see cref="ArrivalPattern"/>: reading a
/// table of them would be a stream of cache lines beside the ring's own. What a gap is for, and calls that are timed, have no
/// table at all.</para>
/// <para>With a <see cref="Gap"/> the loop is closed: it lies before each item, also where the producer was late, so that
/// the threads that wait for items are asleep by then. The item is the time at which its publishing began.</para>
/// </remarks>
internal sealed record Arrivals
{
    /// <summary>Items a second, of an open loop.</summary>
    public double Rate { get; private init; }

    /// <summary>What lies between two items, instead of a rate.</summary>
    public TimeSpan Gap { get; private init; }

    /// <summary>Whether the producer sleeps during the gap, instead of polling the clock.</summary>
    public bool Sleeps { get; private init; }

    /// <summary>The most items of a round; what sleeps must not take forever.</summary>
    public long MaxItems { get; private init; } = long.MaxValue;

    /// <summary>Whether the publishing call is timed, instead of the way to the handler.</summary>
    public bool TimesPublishing { get; private init; }

    /// <summary>The time from one item to the next.</summary>
    public TimeSpan Interval => Gap > TimeSpan.Zero ? Gap : TimeSpan.FromSeconds(1 / Rate);

    /// <summary>As fast as they are taken: everything is due at the start.</summary>
    public static Arrivals AtFullSpeed { get; } = At(double.PositiveInfinity);

    /// <summary>An open loop.</summary>
    public static Arrivals At(double rate) => new() { Rate = rate };

    /// <summary>An open loop in which the publishing call is timed.</summary>
    public static Arrivals TimedAt(double rate) => new() { Rate = rate, TimesPublishing = true };

    /// <summary>A producer that waits awake before each item. The publishing call is then timed.</summary>
    public static Arrivals TimedAfter(TimeSpan gap) => new() { Gap = gap, TimesPublishing = true };

    /// <summary>A producer that sleeps before each item.</summary>
    public static Arrivals AfterSleep(TimeSpan gap, long maxItems) => new() { Gap = gap, Sleeps = true, MaxItems = maxItems };

    /// <summary>Sends a round's items.</summary>
    /// <param name="sender">Publishes.</param>
    /// <param name="clock">Says when.</param>
    /// <param name="items">How many.</param>
    /// <param name="publishing">Where the times of the publishing calls go, if they are timed.</param>
    /// <param name="corrupt">The index of an item to publish wrongly.</param>
    /// <param name="cancellation">Ends it early.</param>
    /// <returns>What was to be sent.</returns>
    public Tally Send<TSender, TClock>(
        TSender sender, TClock clock, long items, LatencyHistogram? publishing, long? corrupt,
        CancellationToken cancellation)
        where TSender : struct, ISender
        where TClock : struct, IClock
    {
        Tally sent = default;
        bool hasGaps = Gap > TimeSpan.Zero;
        double step = hasGaps ? Gap.TotalSeconds * Stopwatch.Frequency : Stopwatch.Frequency / Rate;
        long wrong = corrupt ?? -1;
        long start = clock.Now;
        long now = start;
        for (long i = 0; i < items; i++)
        {
            if (hasGaps || i % 1024 == 0) cancellation.ThrowIfCancellationRequested();
            long due;
            if (Sleeps)
            {
                Thread.Sleep(Gap);
                due = now = clock.Now;
            }
            else
            {
                // The last reading is good for every item that was due by then: a producer that is late reads none.
                due = hasGaps ? now + (long)step : start + (long)(i * step);
                while (now < due) now = clock.Now;
                if (hasGaps) due = now;
            }

            sent.Take(due);
            long item = i == wrong ? ~due : due;
            if (publishing is null)
            {
                sender.Send(item);
                continue;
            }

            long before = clock.Now;
            sender.Send(item);
            now = clock.Now;
            publishing.Record(StopwatchClock.NanosecondsOf(now - before));
        }

        return sent;
    }
}

/// <summary>How a contestant publishes one item. A struct, so that the open loop calls it directly.</summary>
internal interface ISender
{
    /// <summary>Publishes an item; waits where there is no room.</summary>
    void Send(long item);
}

/// <summary>Where an open loop has its time from; tests give it one that they move themselves.</summary>
internal interface IClock
{
    /// <summary>The time in ticks of <see cref="Stopwatch"/>.</summary>
    long Now { get; }
}

/// <summary>The clock of every measurement: <see cref="Stopwatch"/>, some 20 to 30 ns a reading.</summary>
internal readonly struct StopwatchClock : IClock
{
    /// <inheritdoc/>
    public long Now
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Stopwatch.GetTimestamp();
    }

    /// <summary>Ticks in nanoseconds.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long NanosecondsOf(long ticks) =>
        Stopwatch.Frequency == 1_000_000_000 ? ticks : (long)(ticks * 1e9 / Stopwatch.Frequency);
}
