using System.Diagnostics;
using Raceway.Measuring;
using Raceway.Suites.RingSuite;

namespace Raceway.Analysis.Tuning;

/// <summary>Sends the items of a round when they are due, and sees when each is through.</summary>
/// <remarks>
/// One thread does both by turns: it looks at the clock, at how many items are through, and sends what is due. So nothing is
/// added to the stages that are measured; a latency is too long by as much as a turn takes, some 100 ns. Latency counts from
/// when the item was due, and takes the place of that time: counting them is left for after the round.
/// </remarks>
internal static class OpenLoop
{
    /// <summary>The most items that are sent at once.</summary>
    public const int LargestGroup = 256;

    // A contestant that is so late does not keep up. The latencies of the items that were due until then show it well enough.
    private const double Patience = 3;
    private const double LeastPatience = 0.25;

    // As many as any minimum of a batch that is tried.
    private const int LeastWindow = 64;

    /// <summary>The most items under way at the beginning of a round at full speed: about as many as are through already, so
    /// that ending it never takes longer than what was before.</summary>
    public static long WindowAfter(long passed) => LeastWindow + Math.Max(0, passed);

    /// <summary>Sends and times the items of a round.</summary>
    /// <param name="outlet">Where they go.</param>
    /// <param name="due">When each is due, in timer ticks; afterwards how late each was through, in nanoseconds.</param>
    /// <param name="group">The most to send at once.</param>
    /// <param name="look">Told how far it is, now and then.</param>
    /// <param name="cancellation">Ends it early.</param>
    /// <returns>Items sent, items timed, and whether it was given up.</returns>
    public static (int Sent, int Timed, bool FellBehind) Run<TOutlet>(
        TOutlet outlet, Span<long> due, int group, Action<long>? look, CancellationToken cancellation)
        where TOutlet : struct, IOutlet
    {
        StopwatchClock clock = default;
        long start = clock.Now;
        double length = (due[^1] + 1) / (double)Stopwatch.Frequency;
        long end = start + (long)(Math.Max(length * Patience, length + LeastPatience) * Stopwatch.Frequency);
        int sent = 0;
        int through = 0;
        for (int turn = 0; through < due.Length; turn++)
        {
            long passed = Math.Min(outlet.Passed, sent);
            long now = clock.Now;
            for (; through < passed; through++) due[through] = StopwatchClock.NanosecondsOf(now - start - due[through]);
            int ready = 0;
            while (ready < group && sent + ready < due.Length && due[sent + ready] <= now - start) ready++;
            if (ready > 0) sent += outlet.TryPublish(sent, ready);
            if ((turn & 255) != 0) continue;
            cancellation.ThrowIfCancellationRequested();
            look?.Invoke(now - start);
            if (now < end) continue;
            for (; through < due.Length && due[through] <= now - start; through++)
                due[through] = StopwatchClock.NanosecondsOf(now - start - due[through]);
            return (sent, through, true);
        }

        return (sent, through, false);
    }
}
