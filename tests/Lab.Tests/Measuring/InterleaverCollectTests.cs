using Raceway.Measuring;

namespace Raceway.Lab.Tests.Measuring;

/// <summary>What earlier runs have left behind is collected before each round, unless runs do so themselves.</summary>
/// <remarks>By itself: tests beside it collect as well.</remarks>
[CollectionDefinition(nameof(InterleaverCollectTests), DisableParallelization = true)]
[Collection(nameof(InterleaverCollectTests))]
public sealed class InterleaverCollectTests
{
    [Fact]
    public void Run_ARound_IsPrecededByACollection()
    {
        var clock = new FakeClock();
        List<int> collections = [];
        var contestant = new TimedContestant("steady", clock, (_, operations) =>
        {
            collections.Add(GC.CollectionCount(GC.MaxGeneration));
            return operations * TimeSpan.FromMicroseconds(1);
        });
        var options = new InterleaverOptions { Rounds = 6, Operations = 1_000, WarmUpRuns = 0, ProbeLine = false };

        _ = new Interleaver(options).Run("case", MetricKind.Throughput, [contestant], new TimeBudget(clock, TimeSpan.FromSeconds(40)));

        int[] rounds = [.. collections.TakeLast(6)];
        Assert.Equal(6, rounds.Distinct().Count());
    }
}
