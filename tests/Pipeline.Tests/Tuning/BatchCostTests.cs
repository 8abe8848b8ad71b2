namespace Raceway.Pipelines.Tests.Tuning;

/// <summary>What follows from a cost that is known.</summary>
public sealed class BatchCostTests
{
    private static readonly BatchCost s_disk = new(perCall: 1e-3, perStep: 2e-6);
    private static readonly BatchCost s_lanes = new(perCall: 100e-9, perStep: 800e-9, width: 8);

    [Theory]
    [InlineData(1, 900)]
    [InlineData(8, 900)]
    [InlineData(9, 1_700)]
    [InlineData(16, 1_700)]
    [InlineData(64, 6_500)]
    public void SecondsOf_Width_IsAPriceForEachStepBegun(double items, double nanoseconds) =>
        Assert.Equal(nanoseconds * 1e-9, s_lanes.SecondsOf(items), 15);

    // Half of the batches have 8 items, half have 9.
    [Fact]
    public void SecondsOf_MeanBetweenTwoSizes_IsTheMeanOfBoth() =>
        Assert.Equal((s_lanes.SecondsOf(8) + s_lanes.SecondsOf(9)) / 2, s_lanes.SecondsOf(8.5), 15);

    [Fact]
    public void SecondsOf_WidthOfOne_IsALine() => Assert.Equal(1e-3 + (2e-6 * 3.7), s_disk.SecondsOf(3.7), 15);

    [Fact]
    public void RateOf_Batch_IsItsItemsOverItsTime() => Assert.Equal(500 / 2e-3, s_disk.RateOf(500), 6);

    [Theory]
    [InlineData(1, 2e-6 / 1.002e-3)]
    [InlineData(500, 0.5)]
    [InlineData(9_500, 0.95)]
    public void ShareOf_Batch_IsItsRateOverThatOfAnEndlessOne(double items, double share) => Assert.Equal(share, s_disk.ShareOf(items), 9);

    [Fact]
    public void AddedBy_Batch_IsWhatItTakesBeyondOneItem()
    {
        Assert.Equal(0, s_disk.AddedBy(1));
        Assert.Equal(63 * 2e-6, s_disk.AddedBy(64), 15);
        // The lanes are paid for by one item already.
        Assert.Equal(0, s_lanes.AddedBy(8));
        Assert.Equal(800e-9, s_lanes.AddedBy(9), 15);
    }

    [Theory]
    [InlineData(0.01)]
    [InlineData(0.5)]
    [InlineData(0.95)]
    [InlineData(0.999)]
    public void SizeWith_Share_IsTheFirstThatHasIt(double share)
    {
        foreach (BatchCost cost in new[] { s_disk, s_lanes, new BatchCost(1e-6, 1e-6), new BatchCost(0, 1e-6, 3), new BatchCost(3e-9, 7e-6, 5) })
        {
            int size = cost.SizeWith(share)!.Value;

            Assert.True(cost.ShareOf(size) >= share - 1e-9, $"{cost}: {size}");
            // No smaller one has it: the share is not monotonous, as a step that is begun is paid whole.
            Assert.DoesNotContain(Enumerable.Range(1, size - 1), smaller => cost.ShareOf(smaller) >= share + 1e-9);
        }
    }

    [Theory]
    [InlineData(1e-3, 2e-6, 1, 16_384)] // 9,500 items
    [InlineData(0, 2e-6, 1, 1)]
    [InlineData(0, 2e-6, 3, 3)] // a step, whole
    [InlineData(1e-6, 1e-6, 8, 256)] // 19 steps
    public void GoodSize_IsWholeSteps_APowerOfTwoOfThem(double perCall, double perStep, int width, int size)
    {
        var cost = new BatchCost(perCall, perStep, width);

        Assert.Equal(size, cost.GoodSize);
        Assert.True(cost.ShareOf(size) >= 0.95);
    }

    // Then there is no end to what larger batches bring, and no share of it.
    [Fact]
    public void NoPriceOfAStep_HasNoSizeThatIsEnough()
    {
        var cost = new BatchCost(1e-3, 0);

        Assert.Equal((1e-3, 0, 64e3), (cost.SecondsOf(64), cost.AddedBy(64), Math.Round(cost.RateOf(64))));
        Assert.Equal(0, cost.ShareOf(1e9));
        Assert.Null(cost.SizeWith(0.01));
        Assert.Null(cost.GoodSize);
        Assert.Equal("a batch of 64 takes as long as one item: the larger, the better", cost.Describe(64));
    }

    [Fact]
    public void NoPriceOfACall_HasAllInOneStep()
    {
        var cost = new BatchCost(0, 1e-6);

        Assert.Equal((1, 1), (cost.ShareOf(1), cost.ShareOf(1_000)));
        Assert.Equal(1, cost.SizeWith(0.999));
        Assert.Equal("a batch of 1 has 100 % of what batching can give here, at +0 ns", cost.Describe(1));
    }

    [Fact]
    public void SizeWith_MoreThanAnIntCounts_IsNone() => Assert.Null(new BatchCost(1, 1e-12).SizeWith(0.9));

    [Fact]
    public void Describe_Batch_SaysWhatItGivesAndItsPrice()
    {
        Assert.Equal("a batch of 64 has 97 % of what batching can give here, at +403 µs", new BatchCost(12e-6, 6.4e-6).Describe(64));
        Assert.Equal("a batch of 1,024 has 67 % of what batching can give here, at +2 ms", s_disk.Describe(1_024));
        Assert.Equal("1 ms a call and 2 µs an item", s_disk.ToString());
        Assert.Equal("100 ns a call and 800 ns for each 8 items", s_lanes.ToString());
        Assert.Equal("1 ms a call and 1 µs an item", new BatchCost(0.99999e-3, 999.7e-9).ToString());
    }

    [Theory]
    [InlineData(double.NaN)]
    [InlineData(double.PositiveInfinity)]
    [InlineData(double.NegativeInfinity)]
    [InlineData(-1e-9)]
    public void Create_PriceThatIsNone_IsRefused(double price)
    {
        Assert.Equal("perCall", Assert.Throws<ArgumentOutOfRangeException>(() => new BatchCost(price, 1)).ParamName);
        Assert.Equal("perStep", Assert.Throws<ArgumentOutOfRangeException>(() => new BatchCost(1, price)).ParamName);
    }

    [Fact]
    public void Create_NothingCosts_IsRefused() => Assert.Throws<ArgumentOutOfRangeException>(static () => new BatchCost(0, 0));

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    [InlineData(int.MinValue)]
    public void Create_WidthBelowOne_IsRefused(int width) =>
        Assert.Contains($"width={width}", Assert.Throws<ArgumentOutOfRangeException>(() => new BatchCost(1, 1, width)).Message, StringComparison.Ordinal);

    [Theory]
    [InlineData(double.NaN)]
    [InlineData(0.99)]
    [InlineData(0)]
    [InlineData(-5)]
    [InlineData(double.PositiveInfinity)]
    public void Of_SizeThatIsNone_IsRefused(double items)
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => s_disk.SecondsOf(items));
        Assert.Throws<ArgumentOutOfRangeException>(() => s_disk.RateOf(items));
        Assert.Throws<ArgumentOutOfRangeException>(() => s_disk.ShareOf(items));
        Assert.Throws<ArgumentOutOfRangeException>(() => s_disk.AddedBy(items));
        Assert.Throws<ArgumentOutOfRangeException>(() => s_disk.Describe(items));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(-0.5)]
    [InlineData(double.NaN)]
    public void SizeWith_ShareThatIsNone_IsRefused(double share) =>
        Assert.Throws<ArgumentOutOfRangeException>(() => s_disk.SizeWith(share));

    [Fact]
    public void HugeFigures_StayNumbers()
    {
        var cost = new BatchCost(double.MaxValue, double.Epsilon, int.MaxValue);

        Assert.InRange(cost.ShareOf(1e300), 0, 1);
        Assert.InRange(new BatchCost(double.Epsilon, double.MaxValue).ShareOf(1e300), 0, 1);
        Assert.False(double.IsNaN(cost.RateOf(1e300)));
        Assert.Null(cost.GoodSize);
        Assert.NotEmpty(cost.Describe(1e300));
    }
}
