using Raceway.Scenarios.Measuring;

namespace Raceway.Scenarios.RingSuite;

/// <summary>One round of a latency case: the contestant's producer sends it, its last stage hands in what it got.</summary>
/// <param name="arrivals">When items are sent, and what is timed.</param>
/// <param name="load">The round.</param>
/// <param name="cancellation">Ends it early.</param>
internal sealed class LatencyRound(Arrivals arrivals, RingLoad load, CancellationToken cancellation)
{
    private readonly LatencyHistogram _latency = new();
    private Tally? _sent;
    private Tally? _taken;

    /// <summary>Items to take.</summary>
    public long Items => load.Operations;

    /// <summary>What the last stage takes its items into.</summary>
    public Receiver NewReceiver() => new(arrivals.TimesPublishing ? null : _latency, load.Shape.TotalIncrements);

    /// <summary>The producer's part: sends all items, each when it is due.</summary>
    public void Send<TSender>(TSender sender)
        where TSender : struct, ISender =>
        _sent = arrivals.Send(
            sender, default(StopwatchClock), Items, arrivals.TimesPublishing ? _latency : null, load.CorruptItem,
            cancellation);

    /// <summary>The last stage's part: hands in what it took, once, after the last item.</summary>
    public void Report(in Receiver receiver) => _taken = receiver.Taken;

    /// <summary>Compares what was sent with what came, when all threads have ended.</summary>
    public void Settle() => load.Report(_sent is { } sent && sent.Count == Items && _taken == sent, _latency);
}
