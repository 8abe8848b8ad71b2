using System.Runtime.CompilerServices;
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

    /// <summary>Items that the stages have handled, of a peer that counts its sleeps.</summary>
    public long Handled { get; private set; }

    /// <summary>How often one of the stages fell asleep.</summary>
    public long Sleeps { get; private set; }

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

    /// <summary>Hands in what a stage counted.</summary>
    public void Slept(long handled, long sleeps) => (Handled, Sleeps) = (Handled + handled, Sleeps + sleeps);

    /// <summary>Compares what was sent with what came, when all threads have ended.</summary>
    public void Settle() => load.Report(_sent is { } sent && sent.Count == Items && _taken == sent, _latency);
}

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

/// <summary>
/// Count, sum and order of some items. The producer takes in what it is about to send, before any contestant has seen
/// it, the last stage what it got: the two must be equal.
/// </summary>
internal record struct Tally
{
    private const long Factor = Body.Stride + 1;

    /// <summary>Items taken in.</summary>
    public long Count { get; private set; }

    /// <summary>Their sum, modulo 2⁶⁴.</summary>
    public long Sum { get; private set; }

    /// <summary>A number that is another one when the same items come in another order.</summary>
    public long Order { get; private set; }

    /// <summary>Takes the next item in.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Take(long item)
    {
        Count++;
        Sum += item;
        Order = unchecked((Order * Factor) + item);
    }
}
