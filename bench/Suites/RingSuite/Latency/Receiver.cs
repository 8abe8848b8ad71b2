using System.Runtime.CompilerServices;
using Raceway.Measuring;

namespace Raceway.Suites.RingSuite;

/// <summary>The work of the last stage of a latency case: after that of the others one reading of the clock, then the tally.</summary>
public struct Receiver : IStageWork<Number>
{
    private readonly LatencyRound _round;
    private readonly LatencyHistogram? _latency;
    private readonly int _increments;
    private readonly long _added;
    private Tally _taken;

    /// <summary>Creates the work of a round.</summary>
    /// <param name="round">Where it hands in what it took.</param>
    /// <param name="latency">Where the latencies go; without it the clock is not read.</param>
    /// <param name="shape">What the stages add to the time that the item is.</param>
    internal Receiver(LatencyRound round, LatencyHistogram? latency, RingShape shape)
    {
        _round = round;
        _latency = latency;
        _increments = shape.Increments;
        _added = shape.TotalIncrements;
    }

    /// <inheritdoc/>
    public static bool Checks => true;

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Take(ref Number slot)
    {
        Number.Work(ref slot, _increments);
        long sent = Number.Read(ref slot) - _added;
        _latency?.Record(StopwatchClock.NanosecondsOf(default(StopwatchClock).Now - sent));
        _taken.Take(sent);
    }

    /// <inheritdoc/>
    public readonly void Report(RingLoad load, int stage) => _round.Report(_taken);
}
