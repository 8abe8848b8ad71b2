namespace Raceway.Pipelines.Tests.Tuning;

/// <summary>A cost that is found from what calls took, and what is said where it does not tell what others took.</summary>
public sealed class BatchCostFitTests
{
    private static readonly double[] s_sizes = [1, 4, 16, 64, 256, 1_024];

    public static TheoryData<double, double, int> Costs => new()
    {
        { 1e-3, 2e-6, 1 },
        { 20e-9, 15e-9, 1 },
        { 5e-6, 800e-9, 8 },
        { 0, 1e-6, 1 },
        { 0, 1e-6, 4 },
        { 3e-3, 0, 1 },
    };

    [Theory]
    [MemberData(nameof(Costs))]
    public void Of_ExactCalls_FindsBothPrices(double perCall, double perStep, int width)
    {
        var cost = new BatchCost(perCall, perStep, width);

        BatchCostFit fit = BatchCostFit.Of(Times(cost, 1, 16, 256), Times(cost, 4, 64, 1_024), width)!;

        Assert.Equal(perCall, fit.Cost.PerCall, 1e-9 * cost.SecondsOf(1));
        Assert.Equal(perStep, fit.Cost.PerStep, 1e-9 * cost.SecondsOf(1));
        Assert.Equal(width, fit.Cost.Width);
        Assert.True(fit.Fits);
        Assert.Equal(0, fit.WorstError, 6);
        Assert.Equal((3, 3), (fit.Fitted.Count, fit.Judged.Count));
    }

    // Calls of 8 lanes, taken for calls of one.
    [Fact]
    public void Of_WidthThatIsNotSaid_DoesNotFit()
    {
        BatchTime[] times = Times(new BatchCost(10e-9, 800e-9, 8), 1, 4, 16, 64);

        Assert.False(BatchCostFit.Of([times[0], times[3]], [times[1], times[2]])!.Fits);
        Assert.True(BatchCostFit.Of([times[0], times[3]], [times[1], times[2]], 8)!.Fits);
    }

    // An error of a tenth counts the same in a call of a microsecond and in one of a millisecond.
    [Fact]
    public void Of_Noise_IsJudgedByTheRelativeError()
    {
        var cost = new BatchCost(2e-6, 1e-6);
        double[] noise = [1.05, 0.95, 1.05, 0.95, 1.05, 0.95];
        BatchTime[] times = [.. s_sizes.Zip(noise, (size, off) => new BatchTime(size, off * cost.SecondsOf(size)))];

        BatchCostFit fit = BatchCostFit.Of(times)!;

        Assert.True(fit.Fits);
        Assert.InRange(fit.WorstError, 0.01, 0.15);
        Assert.InRange(fit.Cost.PerCall, 1.6e-6, 2.4e-6);
        Assert.InRange(fit.Cost.PerStep, 0.85e-6, 1.15e-6);
    }

    [Fact]
    public void Of_AllSizes_FitsTheEndsAndTheMiddle_AndIsJudgedByTheRest()
    {
        BatchCostFit fit = BatchCostFit.Of([.. Times(new BatchCost(1e-6, 1e-6), s_sizes).Reverse()])!;

        // Half way from 1 to 1,024 by factors.
        Assert.Equal([1, 16, 1_024], fit.Fitted.Select(static one => one.Items));
        Assert.Equal([4, 64, 256], fit.Judged.Select(static one => one.Items));
    }

    [Theory]
    [InlineData(1.08, 1.08, 1.25, true)]
    [InlineData(1.12, 1.12, 1.12, false)] // the median
    [InlineData(1, 1, 1.5, false)] // one
    public void Fits_MedianWithinATenthAndAllWithinThreeTenths(double first, double second, double third, bool fits)
    {
        var cost = new BatchCost(1e-6, 1e-6);
        double[] off = [first, second, third];
        BatchTime[] judged = [.. Times(cost, 4, 64, 1_024).Zip(off, static (time, off) => time with { Seconds = time.Seconds * off })];

        BatchCostFit fit = BatchCostFit.Of(Times(cost, 1, 16, 256), judged)!;

        Assert.Equal(fits, fit.Fits);
        Assert.Equal(1 - (1 / off.Max()), fit.WorstError, 9);
        Assert.Equal(1 - (1 / off.Order().ElementAt(1)), fit.MedianError, 9);
    }

    // Sorting is no such cost.
    [Fact]
    public void Of_CallsOfTheSquare_DoesNotFit()
    {
        BatchTime[] times = [.. s_sizes.Select(static size => new BatchTime(size, 1e-6 * size * size))];

        BatchCostFit fit = BatchCostFit.Of(times)!;

        Assert.False(fit.Fits);
        Assert.StartsWith("does not fit: a + b·⌈n/w⌉ is off by ", fit.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public void ToString_Fits_NamesAGoodSize_ThePricesAndTheErrors() => Assert.Equal(
        "a batch of 64 has 97 % of what batching can give here, at +403 µs (12 µs a call and 6.4 µs an item; off by 0 % in the "
        + "median and 0 % at the most, where it was not fitted)",
        BatchCostFit.Of(Times(new BatchCost(12e-6, 6.4e-6), s_sizes))!.ToString());

    [Fact]
    public void ToString_NoSizeIsEnough_NamesTheLargestThatWasSeen() => Assert.StartsWith(
        "a batch of 1,024 takes as long as one item", BatchCostFit.Of(Times(new BatchCost(1e-3, 0), s_sizes))!.ToString(), StringComparison.Ordinal);

    [Fact]
    public void Of_TooFewOrTooMuchAlike_IsNone()
    {
        var cost = new BatchCost(1e-6, 1e-6, 8);
        Assert.Null(BatchCostFit.Of([]));
        Assert.Null(BatchCostFit.Of(Times(cost, 1, 16, 256), 8));
        Assert.Null(BatchCostFit.Of(Times(cost, 1, 16, 256), [], 8));
        Assert.Null(BatchCostFit.Of([], Times(cost, 1), 8));
        Assert.Null(BatchCostFit.Of(Times(cost, 16), Times(cost, 1), 8));
        // Different sizes, and as many steps.
        Assert.Null(BatchCostFit.Of(Times(cost, 1, 4, 8), Times(cost, 16), 8));
        Assert.Null(BatchCostFit.Of(Times(cost, 5, 5, 5, 5, 5), 8));
    }

    // Larger batches that take less time, and none that takes none: the edges of what a cost can be.
    [Fact]
    public void Of_TimesThatFall_HaveNoPriceOfAStep() =>
        Assert.Equal(0, BatchCostFit.Of([new(1, 5e-6), new(16, 4e-6), new(256, 3e-6)], [new(64, 4e-6)])!.Cost.PerStep);

    [Fact]
    public void Of_TimesThatRiseFasterThanTheirSizes_HaveNoPriceOfACall() =>
        Assert.Equal(0, BatchCostFit.Of([new(1, 1e-6), new(16, 64e-6)], [new(4, 8e-6)])!.Cost.PerCall);

    [Theory]
    [InlineData(double.NaN, 1)]
    [InlineData(1, double.NaN)]
    [InlineData(0, 1)]
    [InlineData(0.5, 1)]
    [InlineData(-4, 1)]
    [InlineData(1, 0)]
    [InlineData(1, -1)]
    [InlineData(double.PositiveInfinity, 1)]
    [InlineData(1, double.PositiveInfinity)]
    public void Of_CallThatIsNone_IsRefused(double items, double seconds)
    {
        BatchTime[] good = Times(new BatchCost(1e-6, 1e-6), 1, 4, 16, 64);
        BatchTime bad = new(items, seconds);

        Assert.Equal("measured", Assert.Throws<ArgumentException>(() => BatchCostFit.Of([.. good, bad])).ParamName);
        Assert.Equal("fitted", Assert.Throws<ArgumentException>(() => BatchCostFit.Of([.. good, bad], good)).ParamName);
        Assert.Equal("judged", Assert.Throws<ArgumentException>(() => BatchCostFit.Of(good, [.. good, bad])).ParamName);
        Assert.Throws<ArgumentException>(static () => BatchCostFit.Of([default]));
    }

    [Fact]
    public void Of_Null_IsRefused()
    {
        Assert.Throws<ArgumentNullException>(static () => BatchCostFit.Of(null!));
        Assert.Throws<ArgumentNullException>(static () => BatchCostFit.Of(null!, []));
        Assert.Throws<ArgumentNullException>(static () => BatchCostFit.Of([], (IReadOnlyList<BatchTime>)null!));
    }

    [Theory]
    [InlineData(1e-300, 1e-290)]
    [InlineData(1e290, 1e300)]
    [InlineData(1e-300, 1e300)]
    [InlineData(double.Epsilon, double.MaxValue)]
    public void Of_HugeFigures_FindsNumbersOrNone(double least, double most)
    {
        BatchCostFit? fit = BatchCostFit.Of([new(1, least), new(1e12, most)], [new(1_000, least), new(1e300, most)]);

        if (fit is null) return;
        Assert.True(double.IsFinite(fit.Cost.PerCall) && double.IsFinite(fit.Cost.PerStep));
        Assert.False(double.IsNaN(fit.MedianError) || double.IsNaN(fit.WorstError));
        Assert.NotEmpty(fit.ToString());
    }

    private static BatchTime[] Times(BatchCost cost, params double[] sizes) => [.. sizes.Select(size => new BatchTime(size, cost.SecondsOf(size)))];
}
