namespace Raceway.Rings.Tests;

/// <summary>A count apart that shows no gain may be the machine's: when it is counted again.</summary>
public sealed class GroupChoiceDoubtsTests : GroupChoiceLoad
{
    // The machine took a processor away.
    [Fact]
    public void JoinsAfter_OneCountWithoutGain_IsDoubted()
    {
        Part();
        for (int i = 0; i < 12; i++) Assert.False(Apart(Full * 2));
        for (int i = 0; i < 8; i++) Assert.False(Apart(Full));
        for (int i = 0; i < 8; i++) Assert.False(Apart(Full * 2));
        for (int i = 0; i < 15; i++) Assert.False(Apart(Full));
        Assert.True(Apart(Full));
        Assert.InRange(WorkUntilTheyPart(), GroupChoice.LeastPause, GroupChoice.LeastPause + (4 * s_step));
    }

    // The last count of a load holds its end: the next load parts at once, and has the second count.
    [Fact]
    public void JoinsAfter_LoadEndsInDoubt_TheNextOneDecides()
    {
        Part();
        for (int i = 0; i < 12; i++) Assert.False(Apart(Full * 2));
        for (int i = 0; i < 8; i++) Assert.False(Apart(Full));
        Rest(50 * s_step);
        Assert.True(Apart(1));

        _choice.Begin(_read(), _now);
        Assert.True(Together(more: true));
        _choice.Begin(_read(), _now);
        for (int i = 0; i < 11; i++) Assert.False(Apart(Full));
        Assert.True(Apart(Full));
    }

    // A thread came late, or the machine took a processor away. Less than three quarters are too few for that.
    [Theory]
    [InlineData(76, true)]
    [InlineData(104, true)]
    [InlineData(74, false)]
    public void JoinsAfter_FirstCountOfATryWithoutGain_IsDoubtedWhereItIsNear(int percent, bool doubted)
    {
        Part();
        for (int i = 0; i < 11; i++) Assert.False(Apart(Full * percent / 100));
        Assert.Equal(!doubted, Apart(Full * percent / 100));
        if (doubted) Assert.InRange(StaysApart(Full * 106 / 100), GroupChoice.FirstStay - (12 * s_step), GroupChoice.FirstStay);
    }

    [Fact]
    public void JoinsAfter_TwoCountsOfATryWithoutGain_ComeTogether()
    {
        for (int i = 0; i < 3; i++)
        {
            Part();
            Assert.Equal(20 * s_step, StaysApart(Full));
        }
    }

    // The first count has cost 1.6 ms, and the second one nothing.
    [Fact]
    public void JoinsAfter_SecondCountOfATryIsBetter_TheFirstOneHasCostAsWell()
    {
        Part();
        for (int i = 0; i < 12; i++) Assert.False(Apart(Full * 80 / 100));
        for (int i = 0; i < 7; i++) Assert.False(Apart(Full));
        Assert.True(Apart(Full));
        Assert.InRange(WorkUntilTheyPart(), GroupChoice.MostPause, GroupChoice.MostPause + (4 * s_step));
    }

    // A gain that ends is no try: neither what its first of two low counts has cost counts, nor what was doubted before the gain.
    [Theory]
    [InlineData(200, 95, 80)]
    [InlineData(80, 100, 40)]
    public void JoinsAfter_GainEndsByTwoCounts_TheLastOneIsTheCost(int first, int last, int milliseconds)
    {
        Part();
        for (int i = 0; i < 12; i++) Assert.False(Apart(Full * first / 100));
        for (int i = 0; i < 8; i++) Assert.False(Apart(Full * 2));
        for (int i = 0; i < 15; i++) Assert.False(Apart(Full * last / 100));
        Assert.True(Apart(Full * last / 100));
        Assert.InRange(WorkUntilTheyPart(), milliseconds * s_step, (milliseconds + 4) * s_step);
    }

    // The next try has two counts again, and no gain is remembered. What the doubted count has cost is.
    [Fact]
    public void JoinsAfter_LoadEndsInDoubtOfATry_TheNextTryIsLikeTheFirst()
    {
        Part();
        for (int i = 0; i < 12; i++) Assert.False(Apart(Full * 95 / 100));
        Rest(50 * s_step);
        Assert.True(Apart(1));

        Assert.InRange(WorkUntilTheyPart(), 80 * s_step, 84 * s_step);
        Assert.Equal(20 * s_step, StaysApart(Full));
    }

    // A gain that was doubted when its load ended. Counted together since, it is one no more, and neither is the doubt.
    [Fact]
    public void JoinsAfter_DoubtOfAnEarlierGain_IsNoneOfTheNextTry()
    {
        Part();
        for (int i = 0; i < 12; i++) Assert.False(Apart(Full * 2));
        for (int i = 0; i < 8; i++) Assert.False(Apart(Full));
        Rest(50 * s_step);
        Assert.True(Apart(1));
        Part();
        Assert.Equal(20 * s_step, StaysApart(Full));
    }
}
