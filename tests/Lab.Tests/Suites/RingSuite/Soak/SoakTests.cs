using Raceway.Lab.Cli;
using Raceway.Measuring;
using Raceway.Suites.RingSuite;

namespace Raceway.Lab.Tests.Suites.RingSuite;

public sealed class SoakTests : IDisposable
{
    private readonly TempFolder _folder = new();
    private readonly SoakContestant _soak = new(new RingShape(1, 1, 0));

    public void Dispose()
    {
        _soak.Dispose();
        _folder.Dispose();
    }

    [Fact]
    public void Run_SliceAfterSlice_EachIsVerified()
    {
        // More than a lap, a single item, and again.
        foreach (long items in new long[] { 100_000, 1, 7, 70_000 })
        {
            Assert.True(_soak.Run(items, default).Verified);
        }
    }

    [Fact]
    public void Run_OneItemCorrupt_IsSeenInItsSliceAlone()
    {
        Assert.True(_soak.Run(1_000, default).Verified);
        _soak.CorruptItem = 999;
        Assert.False(_soak.Run(1_000, default).Verified);
        _soak.CorruptItem = null;
        Assert.True(_soak.Run(1_000, default).Verified);
    }

    [Fact]
    public void Run_AfterACancelledSlice_BeginsAnew()
    {
        Assert.True(_soak.Run(1_000, default).Verified);
        Assert.ThrowsAny<OperationCanceledException>(() => _soak.Run(1_000_000, new CancellationToken(canceled: true)));
        Assert.True(_soak.Run(1_000, default).Verified);
    }

    [Theory]
    [InlineData("flat-1e6", 1_000_000, 3)]
    [InlineData("flat-1e7", 10_000_000, 3)]
    [InlineData("flat-1e8", 100_000_000, 3)]
    [InlineData("flat-1e9", 1_000_000_000, 2)]
    public void Flat_Contestants_AreThoseOfTheThroughputCase(string name, long operations, int contestants)
    {
        RingCase flat = SoakCases.All.Single(one => one.Name == name);

        Assert.Equal(contestants, flat.Contestants.Count);
        Assert.Equal(operations, flat.Rounds.Apply(new InterleaverOptions(), TimeSpan.Zero).Operations);
    }

    [Fact]
    public void Apply_NothingSet_ChangesNothing()
    {
        var options = new InterleaverOptions();

        Assert.Equal(options, new RoundPlan().Apply(options, TimeSpan.FromMinutes(10)));
    }

    [Theory]
    [InlineData(1e4, 10)]
    [InlineData(1e5, 100)]
    [InlineData(1e7, 1_000)]
    [InlineData(1e3, 10)]
    public void Apply_Paced_BeginsWithWhatTakesAMillisecond(double rate, long operations)
    {
        InterleaverOptions options = RoundPlan.Paced(Arrivals.At(rate).Interval).Apply(new(), TimeSpan.Zero);

        Assert.Equal(new InterleaverOptions { FirstOperations = operations }, options);
    }

    [Fact]
    public void Apply_FillsTime_TakesAsManyRoundsAsFit()
    {
        var plan = new RoundPlan { Stretch = 10, FillsTime = true };
        var options = new InterleaverOptions { RoundTime = TimeSpan.FromSeconds(1) };

        Assert.Equal(60, plan.Apply(options, TimeSpan.FromMinutes(10)).Rounds);
        Assert.Equal(TimeSpan.FromSeconds(10), plan.Apply(options, TimeSpan.FromMinutes(10)).RoundTime);
        Assert.Equal(1, plan.Apply(options, TimeSpan.FromSeconds(1)).Rounds);
    }

    [Fact]
    public void Compare_Soak_WritesARowOverItsSlices()
    {
        string json = _folder.File("soak.json");

        CommandLine compare = CommandLine.Run(
            "compare", "--suite", "soak", "--case", "soak", "--minutes", "0.005", "--json", json);

        Assert.Equal(0, compare.ExitCode);
        Assert.Contains("min–max", compare.Out, StringComparison.Ordinal);
        ResultRow row = ResultFile.Load(json).Rows.Single(one => one.Metric == "overhead");
        Assert.True(row is { Verified: true, Rounds: > 1, Min: > 0, Contestant: "raceway/default" });
        Assert.Equal("0.005", ResultFile.Load(json).Options["minutes"]);
    }

    [Theory]
    [InlineData("0")]
    [InlineData("-1")]
    [InlineData("NaN")]
    [InlineData("2000")]
    public void Compare_MinutesOutOfRange_IsWrongUsage(string minutes) =>
        Assert.Equal(2, CommandLine.Run("compare", "--suite", "soak", "--case", "soak", "--minutes", minutes).ExitCode);

    [Fact]
    public void Select_QuickWithoutNames_LeavesOutWhatTakesLong()
    {
        Assert.DoesNotContain(SuiteList.Select("soak", [], quick: true), one => one.Name is "soak" or "flat-1e9");
        Assert.Contains(SuiteList.Select("soak", [], quick: false), one => one.Name == "soak");
        Assert.Equal("flat-1e9", Assert.Single(SuiteList.Select("soak", ["flat-1e9"], quick: true)).Name);
    }
}
