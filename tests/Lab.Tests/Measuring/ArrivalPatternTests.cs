using System.Diagnostics;
using Raceway.Measuring;

namespace Raceway.Lab.Tests.Measuring;

public sealed class ArrivalPatternTests : IDisposable
{
    private const double Rate = 1_000;
    private readonly TempFolder _folder = new();

    private static double Second => Stopwatch.Frequency;

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void Constant_IsEven() =>
        Assert.Equal([0, (long)(Second / 1_000), (long)(Second / 500)], ArrivalPattern.Parse("constant").Due(3, Rate, seed: 1));

    [Fact]
    public void Poisson_HasTheRate_TheSpreadAndTheSeed()
    {
        ArrivalPattern poisson = ArrivalPattern.Parse("poisson");

        long[] due = poisson.Due(100_000, Rate, seed: 1);

        Assert.Equal(due, poisson.Due(100_000, Rate, seed: 1));
        Assert.NotEqual(due, poisson.Due(100_000, Rate, seed: 2));
        double[] gaps = [.. due.Zip(due.Skip(1), static (a, b) => (b - a) / Second * Rate)];
        Assert.All(gaps, static gap => Assert.True(gap >= 0));
        // Mean and deviation of an exponential distribution are the same; the bounds are ten standard errors wide.
        double mean = gaps.Average();
        Assert.InRange(mean, 0.97, 1.03);
        Assert.InRange(Math.Sqrt(gaps.Average(gap => (gap - mean) * (gap - mean))), 0.95, 1.05);
    }

    [Fact]
    public void Burst_ComesAtOnce_AndKeepsTheRate()
    {
        long[] due = ArrivalPattern.Parse("burst:4").Due(12, Rate, seed: 1);

        Assert.Equal([0L, 0, 0, 0], due[..4]);
        Assert.All(due[4..8], static at => Assert.Equal((long)(4 * Second / Rate), at));
        Assert.All(due[8..], static at => Assert.Equal((long)(8 * Second / Rate), at));
    }

    [Fact]
    public void Replay_KeepsTheDistances_BeginsAgain_AndIsStretchedToARate()
    {
        string file = _folder.Write("times", "10.0\n10.5\n\n11.0\n12.0\n");
        var replay = (ReplayedArrivals)ArrivalPattern.Parse($"replay:{file}");

        Assert.Equal(1.5, replay.Rate);
        Assert.Equal([0, 0.5, 1, 2, 2.5, 3, 4], replay.Due(7, replay.Rate, seed: 1).Select(static at => at / Second));
        Assert.Equal([0, 0.25, 0.5, 1], replay.Due(4, 2 * replay.Rate, seed: 1).Select(static at => at / Second));
    }

    [Fact]
    public void Replay_OfTimesAsWritten_IsRead()
    {
        string file = _folder.Write("times", "2026-01-31T12:00:00.000Z\n2026-01-31T12:00:00.250Z\n");

        Assert.Equal([0, 0.25], ((ReplayedArrivals)ArrivalPattern.Parse($"replay:{file}")).Seconds.Select(static at => Math.Round(at, 3)));
    }

    [Fact]
    public void Replay_OfTimesAsWritten_KeepsEveryTick()
    {
        string file = _folder.Write("times", "2026-01-31T12:00:00.0000001Z\n2026-01-31T12:00:00.0000002Z\n2026-01-31T12:00:00.0000013Z\n");

        Assert.Equal([0, 1e-7, 12e-7], ((ReplayedArrivals)ArrivalPattern.Parse($"replay:{file}")).Seconds);
    }

    [Theory]
    [InlineData("1\n\n\nx\n", "line 4 is 'x'")]
    [InlineData("\n2\n\n1\n", "line 4 is before")]
    [InlineData("1\n1e28\n", "line 2 is '1e28'")]
    [InlineData("", "two timestamps at least")]
    [InlineData("1\n", "two timestamps at least")]
    [InlineData("1\nx\n", "line 2 is 'x'")]
    [InlineData("1\nNaN\n", "line 2 is 'NaN'")]
    [InlineData("2\n1\n", "must not fall")]
    [InlineData("1\n1\n", "must not all be the same")]
    public void Replay_OfABadFile_SaysWhatIsWrong(string content, string expected) => Assert.Contains(
        expected, Assert.Throws<FormatException>(() => ArrivalPattern.Parse($"replay:{_folder.Write("bad", content)}")).Message,
        StringComparison.Ordinal);

    [Theory]
    [InlineData("sometimes")]
    [InlineData("")]
    [InlineData("burst")]
    [InlineData("burst:1")]
    [InlineData("burst:x")]
    [InlineData("replay:")]
    [InlineData("replay:/nowhere/at/all")]
    public void Parse_BadText_SaysSo(string text) => Assert.Throws<FormatException>(() => ArrivalPattern.Parse(text));
}
