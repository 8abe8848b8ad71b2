namespace Raceway.Measuring;

/// <summary>Half of what a contestant can do itself: a load that it keeps up with, the same share for each.</summary>
public static class HalfSpeed
{
    private static readonly InterleaverOptions s_saturation = new()
    {
        Rounds = 5,
        RoundTime = TimeSpan.FromMilliseconds(50),
        WarmUpLimit = TimeSpan.FromMilliseconds(200),
        ProbeLine = false,
        Budget = TimeSpan.FromSeconds(2),
    };

    /// <summary>Half of the operations a second of a contestant at full speed, in rounds of its own, after a warm-up.</summary>
    /// <param name="fast">The contestant with everything due at the start. It records what it records at a rate.</param>
    /// <param name="firstOperations">Operations of its first short run.</param>
    /// <param name="cancellation">Ends it early.</param>
    /// <exception cref="InvalidOperationException">It fails at full speed.</exception>
    public static double RateOf(IContestant fast, long firstOperations, CancellationToken cancellation)
    {
        CaseResult result = new Interleaver(s_saturation with { FirstOperations = firstOperations })
            .Run("saturation", MetricKind.Throughput, [fast], cancellation: cancellation);
        ContestantRounds rounds = result.Contestants[0];
        cancellation.ThrowIfCancellationRequested();
        if (rounds.Failure is { } failure) throw new InvalidOperationException($"at full speed: {failure}");
        return Statistics.Median(rounds.Rounds.Select(static round => round.Sample.Rate)) / 2;
    }
}
