using System.Globalization;
using Raceway.Measuring;

namespace Raceway.Suites.RingSuite;

/// <summary>A peer with producers that publish as fast as they can.</summary>
internal sealed class FullSpeedContestant<TSlot>(
    Peer<TSlot> peer, Func<RingLoad, RoundThreads, Transport<TSlot>> open, RingShape shape) : RingContestant(peer.Name, shape)
    where TSlot : struct, ISlot<TSlot>
{
    public override int BusyThreads => peer.Threads(Shape);

    public override long MaxOperations => peer.MostItems;

    protected override bool ChecksApart => true;

    protected override IReadOnlyList<Count> Further(Sample timed) => peer.Further?.Invoke(timed) ?? [];

    protected override void Prepare(RingLoad load, RoundThreads roundThreads)
    {
        Transport<TSlot> transport = open(load, roundThreads);
        for (int p = 0; p < Shape.Producers; p++) transport.AddProducer(p);
        transport.AddStages();
        transport.Start();
    }
}

/// <summary>A peer with one producer, which publishes each item when it is due. The last stage sees how late the item comes.</summary>
/// <param name="peer">The peer.</param>
/// <param name="open">Builds its queues.</param>
/// <param name="shape">The stages; one producer.</param>
/// <param name="arrivals">When items are sent, and what is timed.</param>
internal sealed class LatencyContestant(
    Peer<Number> peer, Func<RingLoad, RoundThreads, Transport<Number>> open, RingShape shape, Arrivals arrivals)
    : RingContestant(peer.Name, shape)
{
    private LatencyRound? _round;
    private long _handled;
    private long _sleeps;

    public override long MaxOperations => arrivals.MaxItems;

    // If the producer sleeps, all threads are asleep but for moments: nothing competes for the cores.
    public override int BusyThreads => arrivals.Sleeps ? 1 : peer.Threads(Shape);

    // Whether a consumer was asleep, or still awake from the item before, decides what a publishing call costs.
    public override string? Note => _handled == 0 || _sleeps == 0
        ? peer.Note
        : string.Create(CultureInfo.InvariantCulture, $"asleep before {Math.Min(1, (double)_sleeps / _handled):P0} of the items");

    protected override void Prepare(RingLoad load, RoundThreads roundThreads)
    {
        LatencyRound round = _round = new(arrivals, load, roundThreads.Cancellation);
        Transport<Number> transport = open(load, roundThreads);
        transport.AddSender(round);
        transport.AddChain(round.NewReceiver());
        transport.Start();
    }

    protected override void Finish(RingLoad load)
    {
        if (_round is not { } round) return;
        round.Settle();
        _handled += round.Handled;
        _sleeps += round.Sleeps;
    }
}

/// <summary>A latency contestant at half of what it can do itself: a load that it keeps up with, the same share for each.</summary>
/// <remarks>
/// What it can do is measured once, before its first round: the same contestant with everything due at the start. Its
/// handler reads the clock for each item there too, so that the rate is never more than the readings allow.
/// </remarks>
/// <param name="create">Makes the contestant for some arrivals.</param>
internal sealed class HalfSpeedContestant(Func<Arrivals, IContestant> create) : IContestant
{
    /// <summary>The time in which it finds its rate, where there is enough.</summary>
    /// <remarks>An item takes nanoseconds there: code that the compiler has not finished with yet would show.</remarks>
    public static readonly TimeSpan Longest = TimeSpan.FromSeconds(1);

    private readonly IContestant _fast = create(Arrivals.AtFullSpeed);
    private IContestant? _paced;

    /// <inheritdoc/>
    public string Name => _fast.Name;

    /// <inheritdoc/>
    public int BusyThreads => _fast.BusyThreads;

    /// <inheritdoc/>
    public string? Note { get; private set; }

    /// <inheritdoc/>
    public Action<TimeSpan, CancellationToken>? Preparation => FindRate;

    /// <inheritdoc/>
    public Sample Run(long operations, CancellationToken cancellation)
    {
        if (_paced is null) FindRate(Longest, cancellation);
        return _paced!.Run(operations, cancellation);
    }

    private void FindRate(TimeSpan within, CancellationToken cancellation)
    {
        var budget = new TimeBudget(TimeProvider.System, within < Longest ? within : Longest);
        double rate = HalfSpeed.RateOf(_fast, new InterleaverOptions().FirstOperations, budget, cancellation);
        _paced = create(Arrivals.At(rate));
        Note = string.Create(
            CultureInfo.InvariantCulture, $"at {rate / 1e6:0.##} M events/s, half of what it does with a clock reading each");
    }
}
