using System.Runtime.CompilerServices;
using Raceway.Scenarios.Measuring;

namespace Raceway.Scenarios.RingSuite;

/// <summary>What the last stage of a latency case does with an item: one reading of the clock, then the tally.</summary>
/// <param name="latency">Where the latencies go; without it the clock is not read.</param>
/// <param name="added">What the stages have added to the time that the item is.</param>
internal struct Receiver(LatencyHistogram? latency, long added)
{
    private readonly LatencyHistogram? _latency = latency;
    private readonly long _added = added;
    private Tally _taken;

    /// <summary>What was taken.</summary>
    public readonly Tally Taken => _taken;

    /// <summary>Takes the next item in.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Take(long item)
    {
        long sent = item - _added;
        _latency?.Record(StopwatchClock.NanosecondsOf(default(StopwatchClock).Now - sent));
        _taken.Take(sent);
    }
}
