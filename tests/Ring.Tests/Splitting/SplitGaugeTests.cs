namespace Raceway.Rings.Tests;

/// <summary>When calls are split. Times are given, not measured.</summary>
public sealed class SplitGaugeTests
{
    private static readonly long s_worth = SplitGauge.Worth;

    [Fact]
    public void Pays_NothingIsKnown_No() => Assert.False(new SplitGauge().Pays(1 << 20));

    [Fact]
    public void Pays_TheCallIsWorthIt_FromThatManyItemsOn()
    {
        SplitGauge gauge = Of(items: 100, ticks: s_worth);
        Assert.True(gauge.Pays(100));
        Assert.False(gauge.Pays(99));
    }

    [Fact]
    public void Pays_ItPartsStages_IfItTakesAsLongAsATry()
    {
        SplitGauge gauge = Of(items: 100, ticks: SplitGauge.WorthParting);
        Assert.True(gauge.Pays(100, parts: true));
        Assert.False(gauge.Pays(99, parts: true));
        Assert.True(gauge.Pays(99));
    }

    // What comes with a first call, or a lost processor, is no reason: the second one says what calls of few items take.
    [Fact]
    public void Pays_OnlyTheFirstCallWasLong_PartsNoStages()
    {
        var gauge = new SplitGauge();
        Assert.True(gauge.Times(1));
        gauge.AddWhole(1, SplitGauge.WorthParting);
        Assert.False(gauge.Pays(1000, parts: true));
        Assert.True(gauge.Times(1));
        gauge.AddWhole(1, SplitGauge.WorthParting / 1000);
        Assert.False(gauge.Pays(900, parts: true));
        Assert.True(gauge.Pays(1100, parts: true));
    }

    [Fact]
    public void Pays_OneItem_No() => Assert.False(Of(items: 1, ticks: 100 * s_worth).Pays(1));

    [Fact]
    public void Times_SmallCalls_OneOfSixteen()
    {
        SplitGauge gauge = Of(items: 1, ticks: 1);
        Assert.Equal(4, Enumerable.Range(0, 64).Count(_ => gauge.Times(1)));
        Assert.Equal(64, Enumerable.Range(0, 64).Count(_ => gauge.Times(64)));
    }

    [Fact]
    public void AddWhole_OneCallLostItsProcessor_CountsForEightOfItsLike()
    {
        SplitGauge gauge = Of(items: 1000, ticks: 1000 * 100);
        gauge.AddWhole(1000, 1000 * 100 * 1000);
        Assert.InRange(gauge.Cost, 100, 100 * 8);
    }

    [Fact]
    public void AddSplit_PartsTakeNoLonger_StaysOpen()
    {
        SplitGauge gauge = Of(items: 100, ticks: s_worth);
        for (int i = 0; i < 100; i++) gauge.AddSplit(100, s_worth, threads: 2);
        Assert.True(gauge.Pays(100));
    }

    // As much longer as there are threads: they wait for each other, or each part costs as much as the whole.
    [Fact]
    public void AddSplit_PartsTakeAsMuchLonger_ClosesForTwiceAsManyCallsEachTime()
    {
        SplitGauge gauge = Of(items: 100, ticks: s_worth);
        foreach (int calls in new[] { 16, 32, 64 })
        {
            while (gauge.IsOpen) gauge.AddSplit(100, 3 * s_worth, threads: 2);
            for (int i = 0; i < calls; i++)
            {
                Assert.False(gauge.Pays(100));
                gauge.Times(100);
            }

            Assert.True(gauge.Pays(100));
        }
    }

    [Fact]
    public void AddSplit_OneCallLostItsProcessor_StaysOpen()
    {
        SplitGauge gauge = Of(items: 100, ticks: s_worth);
        for (int i = 0; i < 20; i++) gauge.AddSplit(100, s_worth, threads: 2);
        gauge.AddSplit(100, 1000 * s_worth, threads: 2);
        Assert.True(gauge.IsOpen);
    }

    [Fact]
    public void AddSplit_OneThreadCame_SaysNothingAgainstIt()
    {
        SplitGauge gauge = Of(items: 100, ticks: s_worth);
        for (int i = 0; i < 100; i++) gauge.AddSplit(100, 10 * s_worth, threads: 1);
        Assert.True(gauge.IsOpen);
    }

    // Single items were timed, which cost more apiece than they do in a batch.
    [Fact]
    public void AddSplit_ItemsAreCheaperThanKnown_IsWhatIsKnown()
    {
        SplitGauge gauge = Of(items: 1, ticks: s_worth);
        gauge.AddSplit(100, s_worth, threads: 2);
        Assert.Equal(s_worth / 100.0, gauge.Cost);
        Assert.False(gauge.Pays(50));
    }

    private static SplitGauge Of(int items, long ticks)
    {
        var gauge = new SplitGauge();
        gauge.AddWhole(items, ticks);
        gauge.AddWhole(items, ticks);
        return gauge;
    }
}
