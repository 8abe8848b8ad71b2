using Raceway.Measuring;
using Raceway.Suites.MainJob;

namespace Raceway.Lab.Tests.Suites.MainJob;

/// <summary>What the main job's latencies are measured at.</summary>
public sealed class MainJobRunnerTests : IDisposable
{
    private static readonly InterleaverOptions s_short = new()
    {
        Rounds = 3, RoundTime = TimeSpan.FromMilliseconds(2), WarmUpRuns = 1, WarmUpLimit = TimeSpan.FromMilliseconds(1),
        TieringPause = TimeSpan.Zero, ProbeLine = false,
    };

    private readonly TempFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void Run_SeveralContestants_AreComparedAtHalfOfTheSlowestOnesSpeed()
    {
        LoadedInput input = LoadedInput.Load([_folder.Write("file", string.Concat(Enumerable.Repeat("a line\n", 500)))]);
        LineContestant[] contestants =
            [.. LineContestants.All(hashed: false, 1024).Where(static one => one.Name is "one-thread" or "channel" or LineContestants.DefaultName)];

        MainJobTable table = new MainJobRunner(new MainJobOptions(s_short, s_short)).Run(
            contestants, input, ExpectedTotals.Compute(input.Parts, hashed: false), TimeBudget.Endless, TestContext.Current.CancellationToken);

        double slowest = table.Throughput.Contestants.Min(
            static one => Statistics.Median(one.Rounds.Select(static round => round.Sample.Rate)));
        Assert.Equal(slowest / 2, table.CommonRate);
        Assert.Equal(3, table.Entries.Count);
        Assert.All(table.Entries, static one => Assert.True(one is { Verified: true, CommonMedian: not null, Common99: not null, LatencyMedian: not null }));
        // Each line has its time: nobody publishes faster than that.
        Assert.All(
            table.Common!.Contestants.SelectMany(static one => one.Rounds),
            round => Assert.InRange(round.Sample.Rate, 0, 1.25 * slowest / 2));
    }
}
