namespace Raceway.Rings.Tests;

/// <summary>No stages try to be apart while what they do together rises, as where caches fill; but not for ever.</summary>
public sealed class GroupChoiceRisesTests : GroupChoiceLoad
{
    [Theory]
    [InlineData(111, false)]
    [InlineData(109, true)]
    [InlineData(50, true)]
    public void PartsAfter_SecondHalfOfACountIsBetter_CountsAgain(int percent, bool parts)
    {
        Assert.False(Together());
        Assert.False(Together());
        Assert.Equal(parts, Together(items: Full * percent / 100));
    }

    // Others wait during the first count, so it is not followed by a try.
    [Theory]
    [InlineData(111, 0, false)]
    [InlineData(109, 0, true)]
    [InlineData(200, 30, true)]
    public void PartsAfter_BetterThanTheCountBefore_CountsAgainUnlessThatWasAnotherLoad(int percent, int restBefore, bool parts)
    {
        Assert.False(Together());
        for (int i = 0; i < 2; i++) Assert.False(Together(othersWait: true));
        int items = Full * percent / 100;
        if (restBefore > 0)
        {
            Rest(restBefore * s_step);
            Assert.False(Together(items: items));
        }

        Assert.False(Together(items: items));
        Assert.Equal(parts, Together(items: items));
        if (parts) return;
        Assert.False(Together(items: items));
        Assert.True(Together(items: items));
    }

    // As where caches fill.
    [Fact]
    public void PartsAfter_EachStepDoesMore_WhenItDoesNoMore()
    {
        int items = Full;
        Assert.False(Together(items: items));
        for (int i = 0; i < 16; i++) Assert.False(Together(items: items = items * 13 / 10));
        for (int i = 0; i < 3; i++) Assert.False(Together(items: items));
        Assert.True(Together(items: items));
    }

    // A load may be such that each count rises: in steps that alternate, or in bursts with cold caches.
    [Theory]
    [InlineData(0)]
    [InlineData(50)]
    public void PartsAfter_EveryCountRises_IsPutOffTenTimesAtMost(int restBetween)
    {
        Assert.False(Together());
        for (int i = 0; i < 10; i++)
        {
            Assert.False(Together());
            Assert.False(Together(items: Full * 2));
            if (restBetween == 0) continue;
            Rest(restBetween * s_step);
            Assert.False(Together());
        }

        Assert.False(Together());
        Assert.True(Together(items: Full * 2));
    }

    [Fact]
    public void PartsAfter_EveryCountRises_IsPutOffAnewBehindATry()
    {
        for (int k = 0; k < 2; k++)
        {
            _choice.Begin(_read(), _now);
            Assert.False(Together());
            int counts = 0;
            while (!Together(items: counts % 2 == 0 ? Full : Full * 2)) counts++;
            Assert.Equal(21, counts);
        }
    }

    // The last step is all of the second half, and a short one: it says little.
    [Fact]
    public void PartsAfter_SecondHalfIsShort_TriesAllTheSame()
    {
        Assert.False(Together());
        Assert.False(Together(took: s_step * 9 / 10));
        Assert.False(Together(took: s_step * 7 / 10));
        Assert.True(Together(took: s_step * 45 / 100, items: Full * 100));
    }

    // The step that ends the first half ends the count.
    [Fact]
    public void PartsAfter_CountHasNoSecondHalf_TriesAllTheSame()
    {
        Assert.False(Together());
        Assert.False(Together(took: s_step * 9 / 10));
        Assert.True(Together(took: s_step * 2, items: Full * 100));
    }

    // It was not the stages that took so long.
    [Fact]
    public void PartsAfter_ATimeSliceWasLost_NoHalfIsKnown()
    {
        Assert.False(Together());
        Assert.False(Together());
        Assert.True(Together(took: s_step * 5, items: Full * 100));
    }

    [Fact]
    public void PartsAfter_RestInTheFirstHalf_IsNoRise()
    {
        Assert.False(Together());
        Rest(s_step * 4 / 10);
        Assert.False(Together(took: s_step * 6 / 10, items: Full * 6 / 10));
        Assert.True(Together(took: s_step * 14 / 10, items: Full * 14 / 10));
    }

    // It does as much as the count before while it works.
    [Fact]
    public void PartsAfter_TheCountBeforeHadRests_IsNoRise()
    {
        Assert.False(Together());
        for (int i = 0; i < 4; i++)
        {
            Assert.False(Together(othersWait: true, took: s_step / 2, items: Full / 2));
            if (i == 0) Rest(s_step * 4 / 10);
        }

        for (int i = 0; i < 3; i++) Assert.False(Together(took: s_step / 2, items: Full / 2));
        Assert.True(Together(took: s_step / 2, items: Full / 2));
    }

    [Fact]
    public void PartsAfter_RestInTheSecondHalf_HidesNoRise()
    {
        Assert.False(Together());
        Assert.False(Together());
        Rest(s_step * 4 / 10);
        Assert.False(Together(items: Full * 12 / 10));
    }
}
