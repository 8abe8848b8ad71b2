namespace Raceway.Rings.Tests;

/// <summary>Stages of the pool are together or apart by what was faster, and not for ever.</summary>
public sealed class GroupChoiceTests : GroupChoiceLoad
{
    // The first one begins the count.
    [Fact]
    public void PartsAfter_AlwaysSomethingToDo_AfterTwoMilliseconds()
    {
        Assert.False(Together());
        Assert.False(Together());
        Assert.True(Together());
    }

    [Fact]
    public void PartsAfter_NothingToDoNowAndThen_Never()
    {
        for (int i = 0; i < 100; i++)
        {
            Assert.False(Together());
            Rest(s_step);
        }
    }

    // What one stage at a time does is no rate of the stages: neither what they are compared with, nor a reason to forget.
    // It is none either where a rare try is due: what gained ten seconds ago is remembered.
    [Theory]
    [InlineData(0)]
    [InlineData(11)]
    public void PartsAfter_SomethingForOneStageAtATimeInBetween_IsLeftOut(int secondsBefore)
    {
        Rest(secondsBefore * 1000 * s_step);
        Part();
        for (int i = 0; i < 40; i++) Assert.False(Apart(Full * 3 / 2));
        Rest(30 * s_step);
        Assert.True(Apart(Full));
        _choice.Begin(_read(), _now);
        for (int i = 0; i < 20; i++) Assert.False(Together(overlaps: false, items: Full * 2));
        Assert.True(Together(more: true));
        _choice.Begin(_read(), _now);
        Assert.InRange(StaysApart(Full * 106 / 100), GroupChoice.FirstStay / 2, GroupChoice.FirstStay * 2);
    }

    [Theory]
    [InlineData(true, true)]
    [InlineData(false, false)]
    public void PartsAfter_NothingToGain_Never(bool canGain, bool othersWait)
    {
        _choice = new GroupChoice(canGain, s_begun);
        for (int i = 0; i < 100; i++) Assert.False(Together(othersWait: othersWait));
    }

    [Fact]
    public void PartsAfter_OthersWaitNowAndThen_TriesAllTheSame()
    {
        for (int i = 0; i < 10; i++) Assert.False(Together(took: s_step / 10, othersWait: i == 1));
        Assert.False(Together(took: 2 * s_step));
        Assert.True(Together(took: 2 * s_step));
    }

    [Fact]
    public void JoinsAfter_ATwentiethMore_StaysApartForAWhile()
    {
        Part();
        Assert.InRange(StaysApart(Full * 106 / 100), GroupChoice.FirstStay, GroupChoice.FirstStay * 2);
    }

    // Each look at both costs something, so they become rare: and one that does not gain makes them frequent again.
    [Fact]
    public void JoinsAfter_GainsAgainAndAgain_StaysTwiceAsLong()
    {
        long before = 0;
        for (int i = 0; i < 8; i++)
        {
            Part();
            long stayed = StaysApart(Full * 106 / 100);
            Assert.InRange(stayed, Math.Max(before + 1, GroupChoice.FirstStay << i), (GroupChoice.FirstStay << i) * 2);
            before = stayed;
        }

        Part();
        StaysApart(Full);
        Part();
        Assert.InRange(StaysApart(Full * 106 / 100), GroupChoice.FirstStay, GroupChoice.FirstStay * 2);
    }

    // The machine took a processor away, together: else being apart seemed to gain.
    [Fact]
    public void PartsAfter_OneLowCount_TheBetterOneOfTwoCounts()
    {
        Part();
        StaysApart(Full);
        _choice.Begin(_read(), _now);
        for (long worked = 0; worked < GroupChoice.LeastPause - (3 * s_step); worked += s_step) Assert.False(Together());
        PartWith(2 * s_step);
        _choice.Begin(_read(), _now);
        Assert.InRange(StaysApart(Full), 1, GroupChoice.FirstStay - 1);
    }

    // Two in a row; and behind another look the first one: what was counted before may be another load's.
    [Theory]
    [InlineData(100)]
    [InlineData(200)]
    public void PartsAfter_LowCounts_TheItemsTakeLongerNow(int percent)
    {
        Part();
        StaysApart(Full * percent / 100);
        _choice.Begin(_read(), _now);
        PartWith(2 * s_step);
        _choice.Begin(_read(), _now);
        Assert.InRange(StaysApart(Full * 55 / 100), GroupChoice.FirstStay, GroupChoice.FirstStay * 4);
    }

    // The last stage falls behind by a whole ring and catches up again, which says nothing about how fast they are.
    [Theory]
    [InlineData(200, 1, true)]
    [InlineData(100, -1, false)]
    public void JoinsAfter_LastStageFallsBehindAndCatchesUp_TheMeanCounts(int percent, int first, bool gains)
    {
        _underWay = 100 * Full;
        _choice.Begin(_read(), _now);
        do CatchUp();
        while (!Together());
        _choice.Begin(_read(), _now);
        int items = Full * percent / 100;
        long from = _now;
        for (int i = 0; ; i++)
        {
            int behind = (i / 12 % 2 == 0 ? first : -first) * items * 9 / 10;
            _underWay += behind;
            if (Apart(items - behind)) break;
        }

        Assert.Equal(gains, _now - from >= GroupChoice.FirstStay);
    }

    // The first stage may be ahead of the others by a whole ring: what counts is what all have done.
    [Fact]
    public void JoinsAfter_FirstStepsApart_AreNotCounted()
    {
        Part();
        _done += 100 * Full;
        Assert.InRange(StaysApart(Full), 1, GroupChoice.FirstStay - 1);
    }

    [Fact]
    public void JoinsAfter_AnotherLoad_TogetherAtOnceAndApartWithTheFirstFullStep()
    {
        Part();
        for (int i = 0; i < 14; i++) Assert.False(Apart(Full * 2));
        Rest(50 * s_step);

        Assert.True(Apart(1));
        _choice.Begin(_read(), _now);
        Assert.False(Together(more: false));
        Assert.True(Together(more: true));

        // What was faster so long ago is measured anew.
        _choice.Begin(_read(), _now);
        Rest(Clock.Ticks(TimeSpan.FromSeconds(11)));
        Assert.True(Apart(1));
        _choice.Begin(_read(), _now);
        Assert.False(Together(more: true));
    }

    // What they do apart counts as well: a stay may be a minute.
    [Fact]
    public void JoinsAfter_AnotherLoadBehindALongStay_PartsAtOnce()
    {
        while (true)
        {
            Part();
            long from = _now;
            while (_now - from < 11_000 * s_step && !Apart(Full * 2))
            {
            }

            if (_now - from >= 11_000 * s_step) break;
        }

        Rest(50 * s_step);
        Assert.True(Apart(1));
        _choice.Begin(_read(), _now);
        Assert.True(Together(more: true));
    }

    // The others have something to do still: the first stage waits for room, not for items.
    [Fact]
    public void JoinsAfter_FirstStageRestsAndTheOthersDoNot_IsTheSameLoad()
    {
        Part();
        Rest(50 * s_step, ahead: 10);
        Assert.False(Apart(1));
    }

    // The first stage is through with many items meanwhile.
    [Fact]
    public void JoinsAfter_CallThatLasts_IsWaitedFor()
    {
        Part();
        for (int i = 0; i < 100; i++, _underWay++) Assert.False(Apart(0));
    }

    [Fact]
    public void PartUnmeasured_StaysApartForAWhileAndIsNoGain()
    {
        Assert.False(Together());
        _choice.PartUnmeasured();
        _choice.Begin(_read(), _now);
        Assert.InRange(StaysApart(1), GroupChoice.LeastPause, GroupChoice.LeastPause * 2);

        _choice.Begin(_read(), _now);
        Assert.False(Together(more: true));
    }

    // The items of another load take longer.
    [Fact]
    public void PartsAfter_RestBetweenTwoCounts_TheOneBeforeIsForgotten()
    {
        Part();
        StaysApart(Full);
        _choice.Begin(_read(), _now);
        for (int i = 0; i < 39; i++) Assert.False(Together());
        Rest(50 * s_step);
        PartWith(2 * s_step);
        _choice.Begin(_read(), _now);
        Assert.InRange(StaysApart(Full * 55 / 100), GroupChoice.FirstStay, GroupChoice.FirstStay * 2);
    }

    // The mean of those that are left is another one: it counts from there.
    [Fact]
    public void JoinsAfter_StageLeaves_ThatCountSaysNothing()
    {
        Part();
        for (int i = 0; i < 11; i++) Assert.False(Apart(Full / 2));
        (_stages, _underWay) = (2, _underWay + (50 * Full));
        for (int i = 0; i < 8; i++) Assert.False(Apart(Full / 2));
        Assert.True(Apart(Full / 2));
    }

    // A call that lasts has kept a stage from coming: what it took is no part of the next count.
    [Theory]
    [InlineData(1)]
    [InlineData(50)]
    public void JoinsAfter_TheyDoNotComeTogether_CountsAnew(int restBefore)
    {
        Part();
        for (int i = 0; i < 11; i++) Assert.False(Apart(Full / 2));
        Rest(restBefore * s_step);
        Assert.True(Apart(Full / 2));

        for (int i = 0; i < 7; i++) Assert.False(Apart(Full / 2));
        Assert.True(Apart(Full / 2));
    }
}
