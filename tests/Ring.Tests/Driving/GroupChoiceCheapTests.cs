namespace Raceway.Rings.Tests;

/// <summary>Stages with cheap items try to be apart seldom, as each try leaves their caches cold.</summary>
public sealed class GroupChoiceCheapTests : GroupChoiceLoad
{
    private const int Cheap = 20_000; // of 50 ns
    private static readonly long s_warm = 10 * s_step;
    private static readonly long s_tenSeconds = Clock.Ticks(TimeSpan.FromSeconds(10));

    // A count is of two steps, and begins behind one.
    [Theory]
    [InlineData(9_900)]
    [InlineData(10_100)]
    public void PartsAfter_FirstTry_IsAtOnceOrBehindSomeWork(int items)
    {
        long worked = WorkUntilTheyPart(items);

        if (items < 10_000) Assert.Equal(3 * s_step, worked);
        else AssertIsAbout(s_warm, worked);
    }

    [Fact]
    public void PartsAfter_TriesInVain_EachDoublesTheWorkUntilTheNext()
    {
        AssertIsAbout(s_warm, WorkUntilTheyPart(Cheap));
        StaysApart(Cheap);
        for (long pause = GroupChoice.MostPause; pause < s_tenSeconds; pause *= 2)
        {
            AssertIsAbout(pause, WorkUntilTheyPart(Cheap));
            StaysApart(Cheap);
        }

        for (int i = 0; i < 2; i++)
        {
            AssertIsAbout(s_tenSeconds, WorkUntilTheyPart(Cheap));
            StaysApart(Cheap);
        }
    }

    // They cannot come together at once: what is counted meanwhile is the same try.
    [Fact]
    public void JoinsAfter_AnswersOfOneTry_DoubleItOnce()
    {
        WorkUntilTheyPart(Cheap);
        for (int i = 0; i < 4; i++) StaysApart(Cheap);

        AssertIsAbout(GroupChoice.MostPause, WorkUntilTheyPart(Cheap));
    }

    // The caches fill anew behind each coming together, also when more than ten seconds are over.
    [Fact]
    public void JoinsAfter_GainedApart_EachNextLookIsBehindSomeWork()
    {
        WorkUntilTheyPart(Cheap);
        for (int i = 0; i < 9; i++)
        {
            StaysApart(Cheap * 2);
            AssertIsAbout(s_warm, WorkUntilTheyPart(Cheap));
        }

        Assert.True(_now - s_begun > 2 * s_tenSeconds, "It was to last longer.");
        StaysApart(Cheap);
        AssertIsAbout(GroupChoice.MostPause, WorkUntilTheyPart(Cheap));
    }

    [Fact]
    public void JoinsAfter_LoadThatGainedEnds_TheNextOneIsTriedBehindSomeWork()
    {
        for (int i = 0; i < 3; i++)
        {
            WorkUntilTheyPart(Cheap);
            StaysApart(Cheap);
        }

        WorkUntilTheyPart(Cheap);
        for (int i = 0; i < 30; i++) Assert.False(Apart(Cheap * 2));
        Rest(50 * s_step);
        Assert.True(Apart(Cheap));

        AssertIsAbout(s_warm, WorkUntilTheyPart(Cheap));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(8)]
    public void PartsAfter_LoadBeginsTenSecondsLater_IsTriedBehindSomeWork(int stepsBefore)
    {
        _choice.Begin(_read(), _now);
        for (int i = 0; i < stepsBefore; i++) Assert.False(Together(items: Cheap));
        Rest(11_000 * s_step);
        long from = _now;
        PartWith(s_step, Cheap);

        AssertIsAbout(s_warm, _now - from);
    }

    // Each begins with cold caches.
    [Fact]
    public void PartsAfter_ShortBurstsFarFromEachOther_AreNotTried()
    {
        _choice.Begin(_read(), _now);
        for (int bursts = 0; bursts < 100; bursts++)
        {
            for (int i = 0; i < 8; i++) Assert.False(Together(items: Cheap));
            Rest(30 * s_step);
        }
    }

    [Fact]
    public void PartsAfter_BurstsOfCheapItems_CountsTheirWorkAndNotTheTimeBetween()
    {
        WorkUntilTheyPart(Cheap);
        StaysApart(Cheap);
        _choice.Begin(_read(), _now);
        int bursts = 0;
        for (bool parts = false; !parts; bursts++)
        {
            for (int i = 0; i < 5 && !parts; i++) parts = Together(items: Cheap);
            Rest(5 * s_step);
        }

        // Of five milliseconds that something was done in, the first one begins the count.
        Assert.Equal(GroupChoice.MostPause / (4 * s_step), bursts);
    }

    // These rests are within a count.
    [Fact]
    public void PartsAfter_ShortRests_AreNoWorkAndMakeNoItemCostly()
    {
        _choice.Begin(_read(), _now);
        int steps = 1;
        for (; !Together(items: 11_000); steps++) Rest(s_step / 5);

        Assert.InRange(steps, s_warm / s_step, (s_warm / s_step) + 4);
    }

    // It may be the machine's.
    [Theory]
    [InlineData(1, false)]
    [InlineData(2, true)]
    public void PartsAfter_CountsOfCostlyItems_TwoInARowAreTheItems(int counts, bool parts)
    {
        _choice.Begin(_read(), _now);
        for (int i = 0; i < 5; i++) Assert.False(Together(items: Cheap));

        bool parted = false;
        for (int i = 0; i < 2 * counts; i++) parted |= Together(items: Full);
        Assert.Equal(parts, parted);
    }

    [Fact]
    public void PartsAfter_CheapItemsBehindCostlyOnes_TheirTriesCountForNothing()
    {
        for (int i = 0; i < 3; i++)
        {
            WorkUntilTheyPart();
            StaysApart(Full);
        }

        // As behind each of those.
        AssertIsAbout(GroupChoice.LeastPause, WorkUntilTheyPart(Cheap));
    }

    // Nothing was measured. The caches fill anew.
    [Fact]
    public void PartUnmeasured_CheapItems_IsNoTry()
    {
        const int Before = 8;
        _choice.Begin(_read(), _now);
        for (int i = 0; i < Before; i++) Assert.False(Together(items: Cheap));
        Assert.True(_choice.Compares);
        _choice.PartUnmeasured();
        Assert.False(_choice.Compares);
        _choice.Begin(_read(), _now);
        StaysApart(Cheap);

        AssertIsAbout(s_warm, WorkUntilTheyPart(Cheap));
    }

    // Whether a rare try is due: what they do meanwhile is no rate of theirs.
    [Fact]
    public void PartsAfter_SomethingForOneStageAtATimeBeforeATryMayBe_IsNoRate()
    {
        Rest(11_000 * s_step);
        _choice.Begin(_read(), _now);
        for (int i = 0; i < 9; i++) Assert.False(Together(overlaps: false, items: Cheap * 2));
        PartWith(s_step, Cheap);
        _choice.Begin(_read(), _now);

        Assert.InRange(StaysApart(Cheap * 106 / 100), GroupChoice.FirstStay, GroupChoice.FirstStay * 2);
    }

    private static void AssertIsAbout(long expected, long actual) => Assert.InRange(actual, expected, expected + (4 * s_step));
}
