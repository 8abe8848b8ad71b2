namespace Raceway.Rings.Tests;

/// <summary>Stages of the pool are together or apart by what was faster, and not for ever.</summary>
public sealed partial class GroupChoiceTests
{
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

    [Fact]
    public void PartsAfter_OneLongStep_IsTheMachines()
    {
        Assert.False(Together());
        Assert.False(Together(took: 100 * s_step));
        Assert.True(Together(took: 100 * s_step));
        _choice.Begin(_done, _done, _now);
        for (int i = 0; i < 10; i++)
        {
            Rest(3 * s_step);
            Assert.False(Together(took: 100 * s_step));
        }
    }

    [Theory]
    [InlineData(true, true)]
    [InlineData(false, false)]
    public void PartsAfter_NothingToGain_Never(bool canGain, bool othersWait)
    {
        _choice = new GroupChoice(canGain);
        for (int i = 0; i < 100; i++) Assert.False(Together(othersWait: othersWait));
    }

    [Fact]
    public void PartsAfter_OthersWaitNowAndThen_TriesAllTheSame()
    {
        for (int i = 0; i < 10; i++) Assert.False(Together(took: s_step / 10, othersWait: i == 1));
        Assert.True(Together(took: 2 * s_step));
    }

    [Fact]
    public void JoinsAfter_ATenthMore_StaysApartForAWhile()
    {
        Part();
        Assert.InRange(StaysApart(Full * 12 / 10), GroupChoice.FirstPause, GroupChoice.FirstPause * 2);
    }

    // Each look at both costs something, so they become rare: and one that does not gain makes them frequent again.
    [Fact]
    public void JoinsAfter_GainsAgainAndAgain_StaysTwiceAsLong()
    {
        long before = 0;
        for (int i = 0; i < 8; i++)
        {
            Part();
            long stayed = StaysApart(Full * 2);
            Assert.InRange(stayed, Math.Max(before + 1, GroupChoice.FirstPause << i), (GroupChoice.FirstPause << i) * 2);
            before = stayed;
        }

        Part();
        StaysApart(Full);
        Part();
        Assert.InRange(StaysApart(Full * 2), GroupChoice.FirstPause, GroupChoice.FirstPause * 2);
    }

    [Fact]
    public void JoinsAfter_LessThanATenthMore_TriesLaterAndLater()
    {
        Part();
        foreach (int factor in (int[])[1, 4, 16, 50, 50])
        {
            StaysApart(Full * 105 / 100);
            Assert.InRange(WorkUntilTheyPart(), Math.Min(GroupChoice.FirstPause * factor, GroupChoice.MostPause) - (4 * s_step),
                Math.Min(GroupChoice.FirstPause * factor, GroupChoice.MostPause) + (4 * s_step));
        }
    }

    // A load in bursts: each is too short for another try, and all together are not.
    [Fact]
    public void PartsAfter_BurstsOfWork_CountsTheirWorkAndNotTheTimeBetween()
    {
        Part();
        StaysApart(Full);
        _choice.Begin(_done, _done, _now);
        int bursts = 1;
        for (; bursts < 100 && !Burst(); bursts++) Rest(50 * s_step);

        // Of five milliseconds that something was done in, the first one begins the count.
        Assert.Equal(GroupChoice.FirstPause / (4 * s_step), bursts);
    }

    [Fact]
    public void PartsAfter_ShortRests_AreNoWork()
    {
        Part();
        StaysApart(Full);
        _choice.Begin(_done, _done, _now);
        int steps = 1;
        for (; !Together(); steps++) Rest(s_step / 5);

        Assert.InRange(steps, GroupChoice.FirstPause / s_step, (GroupChoice.FirstPause / s_step) + 4);
    }

    // The try has taken its time from the first burst, and it is not known what it was worth.
    [Fact]
    public void JoinsAfter_LoadEndsDuringATry_TheNextTryIsLaterAllTheSame()
    {
        Part();
        for (int i = 0; i < 5; i++) Assert.False(Apart(Full));
        Rest(50 * s_step);
        Assert.True(Apart(1));

        Assert.InRange(WorkUntilTheyPart(), GroupChoice.FirstPause, GroupChoice.FirstPause + (4 * s_step));
    }

    // Until the threads have come, as long as stages that gain would stay apart.
    [Fact]
    public void JoinsAfter_LongStepsWithoutGain_AreCountedAndTheNextTryIsLater()
    {
        foreach (int factor in (int[])[1, 4, 16, 16])
        {
            Part();
            for (int i = 0; i < 11; i++) Assert.False(Apart(Full * 6, took: 6 * s_step));
            Assert.True(Apart(Full * 6, took: 6 * s_step));
            Assert.InRange(WorkUntilTheyPart(), GroupChoice.FirstPause * factor, (GroupChoice.FirstPause * factor) + (4 * s_step));
        }
    }

    [Fact]
    public void PartsAfter_TenSecondsAfterATry_TriesAgain()
    {
        Part();
        for (int i = 0; i < 5; i++)
        {
            StaysApart(Full);
            Part();
        }

        StaysApart(Full);
        _choice.Begin(_done, _done, _now);
        Rest(11_000 * s_step);
        Assert.True(Burst());
    }

    // They come together with a ring full of items that only the last stage has not handled: it does many in no time.
    [Fact]
    public void PartsAfter_ItemsThatWereUnderWay_AreNotCounted()
    {
        _choice.Begin(_done, _done + (20 * Full), _now);
        for (int i = 0; i < 2; i++)
        {
            _done += 9 * Full;
            Assert.False(Together());
        }

        for (int i = 0; !Together(); i++) Assert.InRange(i, 0, 10);
        _choice.Begin(_done, _done, _now);
        Assert.InRange(StaysApart(Full * 12 / 10), GroupChoice.FirstPause, GroupChoice.FirstPause * 2);
    }

    // The machine took a processor away.
    [Fact]
    public void JoinsAfter_OneCountWithoutGain_IsDoubted()
    {
        Part();
        for (int i = 0; i < 12; i++) Assert.False(Apart(Full * 2));
        for (int i = 0; i < 8; i++) Assert.False(Apart(Full));
        for (int i = 0; i < 7; i++) Assert.False(Apart(Full * 2));
        Assert.True(Apart(Full * 2));
        // Another look: they part as soon as they are counted.
        Assert.InRange(WorkUntilTheyPart(), 1, 4 * s_step);

        for (int i = 0; i < 12; i++) Assert.False(Apart(Full * 2));
        for (int i = 0; i < 15; i++) Assert.False(Apart(Full));
        Assert.True(Apart(Full));
        Assert.InRange(WorkUntilTheyPart(), GroupChoice.FirstPause, GroupChoice.FirstPause + (4 * s_step));
    }

    // The first stage may be ahead of the others by a whole ring: what counts is what all have done.
    [Fact]
    public void JoinsAfter_FirstStepsApart_AreNotCounted()
    {
        Part();
        _done += 100 * Full;
        Assert.InRange(StaysApart(Full), 1, GroupChoice.FirstPause - 1);
    }

    [Fact]
    public void JoinsAfter_AnotherLoad_TogetherAtOnceAndApartWithTheFirstFullStep()
    {
        Part();
        for (int i = 0; i < 14; i++) Assert.False(Apart(Full * 2));
        Rest(GroupChoice.FirstPause * 2);

        Assert.True(Apart(1));
        _choice.Begin(_done, _done, _now);
        Assert.False(Together(more: false));
        Assert.True(Together(more: true));

        // What was faster so long ago is measured anew.
        _choice.Begin(_done, _done, _now);
        Rest(Clock.Ticks(TimeSpan.FromSeconds(11)));
        Assert.True(Apart(1));
        _choice.Begin(_done, _done, _now);
        Assert.False(Together(more: true));
    }

    // The others have something to do still: the first stage waits for room, not for items.
    [Fact]
    public void JoinsAfter_FirstStageRestsAndTheOthersDoNot_IsTheSameLoad()
    {
        Part();
        Rest(GroupChoice.FirstPause * 2, ahead: 10);
        Assert.False(Apart(1));
    }

    // The first stage is through with many items meanwhile.
    [Fact]
    public void JoinsAfter_CallThatLasts_IsWaitedFor()
    {
        Part();
        for (int i = 0; i < 100; i++) Assert.False(Apart(0));
    }

    [Fact]
    public void PartUnmeasured_StaysApartForAWhileAndIsNoGain()
    {
        Assert.False(Together());
        _choice.PartUnmeasured();
        _choice.Begin(_done, _done, _now);
        Assert.InRange(StaysApart(1), GroupChoice.FirstPause, GroupChoice.FirstPause * 2);

        _choice.Begin(_done, _done, _now);
        Assert.False(Together(more: true));
    }
}
