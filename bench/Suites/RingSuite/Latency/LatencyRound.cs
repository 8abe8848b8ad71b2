using Raceway.Measuring;

namespace Raceway.Suites.RingSuite;

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

    /// <summary>The load that the roles of a stage report to.</summary>
    public RingLoad Load => load;

    /// <summary>The work of the last stage.</summary>
    public Receiver NewReceiver() => new(this, arrivals.TimesPublishing ? null : _latency, load.Shape);

    /// <summary>The producer's part: sends all items, each when it is due.</summary>
    public void Send<TSender>(TSender sender)
        where TSender : struct, ISender =>
        _sent = arrivals.Send(
            sender, default(StopwatchClock), Items, arrivals.TimesPublishing ? _latency : null, load.CorruptItem,
            cancellation);

    /// <summary>The last stage's part: hands in what it took, once, after the last item.</summary>
    public void Report(in Tally taken) => _taken = taken;

    /// <summary>Compares what was sent with what came, when all threads have ended.</summary>
    public void Settle() => load.Report(_sent is { } sent && sent.Count == Items && _taken == sent, _latency);
}
