using System.Globalization;
using Raceway.Measuring;

namespace Raceway.Suites.RingSuite;

/// <summary>A latency contestant at half of what it can do itself: a load that it keeps up with, the same share for each.</summary>
/// <remarks>
/// What it can do is measured once, before its first round: the same contestant with everything due at the start. Its
/// handler reads the clock for each item there too, so that the rate is never more than the readings allow.
/// </remarks>
/// <param name="create">Makes the contestant for some arrivals.</param>
internal sealed class HalfSpeedContestant(Func<Arrivals, IContestant> create) : IContestant
{
    private static readonly InterleaverOptions s_saturation = new()
    {
        Rounds = 5,
        RoundTime = TimeSpan.FromMilliseconds(50),
        WarmUpLimit = TimeSpan.FromMilliseconds(200),
        ProbeLine = false,
        Budget = TimeSpan.FromSeconds(2),
    };

    private readonly IContestant _fast = create(Arrivals.AtFullSpeed);
    private IContestant? _paced;

    /// <inheritdoc/>
    public string Name => _fast.Name;

    /// <inheritdoc/>
    public int BusyThreads => _fast.BusyThreads;

    /// <inheritdoc/>
    public string? Note { get; private set; }

    /// <inheritdoc/>
    public Sample Run(long operations, CancellationToken cancellation)
    {
        _paced ??= create(Arrivals.At(FindRate(cancellation)));
        return _paced.Run(operations, cancellation);
    }

    private double FindRate(CancellationToken cancellation)
    {
        CaseResult result = new Interleaver(s_saturation).Run("saturation", MetricKind.Throughput, [_fast], cancellation: cancellation);
        ContestantRounds rounds = result.Contestants[0];
        cancellation.ThrowIfCancellationRequested();
        if (rounds.Failure is not null) throw new InvalidOperationException($"at full speed: {rounds.Failure}");
        double rate = Statistics.Median(rounds.Rounds.Select(static round => round.Sample.Rate)) / 2;
        Note = string.Create(
            CultureInfo.InvariantCulture, $"at {rate / 1e6:0.##} M events/s, half of what it does with a clock reading each");
        return rate;
    }
}
