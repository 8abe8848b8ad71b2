namespace Raceway.Rings.Tests;

/// <summary>When stages that are together try to be apart again: by the work since, and by what the last try has cost.</summary>
public sealed class GroupChoiceTriesTests : GroupChoiceLoad
{
    // Eight milliseconds are counted, and eight more where the first count is near: 95 of 100 items cost 0.4 of each. Half of the items
    // cost four, and no pause is longer than 320.
    [Theory]
    [InlineData(104, 40)]
    [InlineData(100, 40)]
    [InlineData(95, 160)]
    [InlineData(50, 320)]
    public void JoinsAfter_LessThanATwentiethMore_TriesLaterByWhatItHasCost(int percent, int milliseconds)
    {
        Part();
        for (int i = 0; i < 3; i++)
        {
            StaysApart(Full * percent / 100);
            Assert.InRange(WorkUntilTheyPart(), milliseconds * s_step, (milliseconds + 4) * s_step);
        }
    }

    [Fact]
    public void PartsAfter_OneLongStep_IsTheMachines()
    {
        Assert.False(Together());
        Assert.False(Together(took: 100 * s_step));
        Assert.True(Together(took: 100 * s_step));
        _choice.Begin(_read(), _now);
        for (int i = 0; i < 10; i++)
        {
            Rest(3 * s_step);
            Assert.False(Together(took: 100 * s_step));
        }
    }

    // The thread has lost its processor in the middle of a step. What came meanwhile is done with soon.
    [Fact]
    public void PartsAfter_OneLongStepAndShortOnesBehindIt_IsTheMachines()
    {
        for (int i = 0; i < 100; i++)
        {
            Assert.False(Together(took: s_step / 100, items: 1));
            Assert.False(Together(took: 4 * s_step, more: true));
            for (int k = 0; k < 10; k++) Assert.False(Together(took: s_step / 10, more: k < 9));
            for (int k = 0; k < 20; k++)
            {
                Rest(s_step / 10);
                Assert.False(Together(took: s_step / 100, items: 1));
            }
        }
    }

    // A load in bursts: each is too short for another try, and all together are not.
    [Fact]
    public void PartsAfter_BurstsOfWork_CountsTheirWorkAndNotTheTimeBetween()
    {
        Part();
        StaysApart(Full);
        _choice.Begin(_read(), _now);
        int bursts = 1;
        for (; bursts < 100 && !Burst(); bursts++) Rest(50 * s_step);

        // Of five milliseconds that something was done in, the first one begins the count.
        Assert.Equal(GroupChoice.LeastPause / (4 * s_step), bursts);
    }

    [Fact]
    public void PartsAfter_ShortRests_AreNoWork()
    {
        Part();
        StaysApart(Full);
        _choice.Begin(_read(), _now);
        int steps = 1;
        for (; !Together(); steps++) Rest(s_step / 5);

        Assert.InRange(steps, GroupChoice.LeastPause / s_step, (GroupChoice.LeastPause / s_step) + 4);
    }

    // What its count has cost until then: the half of a millisecond.
    [Fact]
    public void JoinsAfter_LoadEndsDuringATry_TheNextTryIsLaterAllTheSame()
    {
        Part();
        for (int i = 0; i < 5; i++) Assert.False(Apart(Full / 2));
        Rest(50 * s_step);
        Assert.True(Apart(1));

        Assert.InRange(WorkUntilTheyPart(), 100 * s_step, 104 * s_step);
    }

    // Until the threads have come, as long as stages that gain would stay apart.
    [Fact]
    public void JoinsAfter_LongStepsWithoutGain_AreCountedAndTheNextTryIsLater()
    {
        for (int k = 0; k < 3; k++)
        {
            Part();
            for (int i = 0; i < 11; i++) Assert.False(Apart(Full * 5, took: 10 * s_step));
            Assert.True(Apart(Full * 5, took: 10 * s_step));
            Assert.InRange(WorkUntilTheyPart(), GroupChoice.MostPause, GroupChoice.MostPause + (4 * s_step));
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
        _choice.Begin(_read(), _now);
        Rest(11_000 * s_step);
        Assert.True(Burst());
    }

    // The load did not fill the try: that is no cost of it.
    [Fact]
    public void JoinsAfter_RestsDuringATry_CostNothing()
    {
        Part();
        for (int i = 0; i < 11; i++)
        {
            Assert.False(Apart(Full));
            Rest(5 * s_step);
        }

        Assert.True(Apart(Full));
        Assert.InRange(WorkUntilTheyPart(), GroupChoice.LeastPause, GroupChoice.LeastPause + (4 * s_step));
    }

    // The first stage waits for room while the others work: that is what being apart costs.
    [Fact]
    public void JoinsAfter_FirstStageWaitsForRoom_IsNoRest()
    {
        Part();
        for (int i = 0; i < 11; i++)
        {
            Assert.False(Apart(Full));
            Rest(5 * s_step, ahead: 10 * Full);
        }

        Assert.True(Apart(Full));
        Assert.InRange(WorkUntilTheyPart(), GroupChoice.MostPause, GroupChoice.MostPause + (4 * s_step));
    }

    // What comes while the last stage is stepped is seen by no step: so it is tried now and then all the same.
    [Fact]
    public void PartsAfter_SomethingForOneStageAtATime_TriesEveryTenSeconds()
    {
        for (int i = 0; i < 2; i++)
        {
            long from = _now;
            while (!Together(overlaps: false))
            {
            }

            Assert.InRange(_now - from, s_step * 10_000, s_step * 10_004);
            _choice.Begin(_read(), _now);
            while (!Apart(Full))
            {
            }

            _choice.Begin(_read(), _now);
        }
    }

    // Where others wait, nothing is tried, so a rare try that is due makes no rate of it: what they are compared with is their own.
    [Fact]
    public void PartsAfter_SomethingForOneStageAtATimeWhereOthersWait_IsNoRate()
    {
        Rest(11_000 * s_step);
        _choice.Begin(_read(), _now);
        for (int i = 0; i < 21; i++) Assert.False(Together(othersWait: true, overlaps: false, items: Full * 2));
        PartWith(s_step);
        _choice.Begin(_read(), _now);
        Assert.InRange(StaysApart(Full * 106 / 100), GroupChoice.FirstStay, GroupChoice.FirstStay * 2);
    }

    // A load that only the rare try helps: behind each look at both it is apart again at once.
    [Fact]
    public void PartsAfter_SomethingForOneStageAtATimeAndApartGains_PartsAgainBehindALook()
    {
        Rest(11_000 * s_step);
        for (int i = 0; i < 3; i++)
        {
            _choice.Begin(_read(), _now);
            int steps = 1;
            for (; !Together(overlaps: false); steps++)
            {
            }

            Assert.InRange(steps, 1, 4);
            _choice.Begin(_read(), _now);
            StaysApart(Full * 2);
        }
    }

    // Between long steps for one stage, as long a time of many short ones for two: time counts, and theirs is half of it.
    [Fact]
    public void PartsAfter_ManyShortStepsHaveSomethingForTwoStages_CountsTheirTime()
    {
        for (int i = 0; i < 1000; i++)
        {
            bool isLong = i % 21 == 0;
            Assert.False(Together(took: isLong ? s_step : s_step / 20, overlaps: !isLong));
        }
    }

    // A long step of many items, and short ones of one item each.
    [Fact]
    public void PartsAfter_OneLongStepHasSomethingForTwoStages_CountsItsTime()
    {
        bool parts = false;
        for (int i = 0; i < 1000 && !parts; i++) parts = Together(took: i % 21 == 1 ? 9 * s_step : s_step / 20, overlaps: i % 21 == 1);
        Assert.True(parts);
    }

    [Theory]
    [InlineData(4, true)]
    [InlineData(5, false)]
    public void PartsAfter_ThreeStepsOfSomeHaveSomethingForTwoStages_TriesWhereThatIsMostOfTheTime(int some, bool tries)
    {
        bool parts = false;
        long took = ((2 * s_step) + some - 1) / some;
        for (int i = 0; i < 100 * some && !parts; i++) parts = Together(took: took, overlaps: i % some < 3);
        Assert.Equal(tries, parts);
    }

    // The thread is elsewhere in between: that says nothing about the stages.
    [Fact]
    public void PartsAfter_OtherWorkBetweenSteps_CountsTheTimeOfSteps()
    {
        bool parts = false;
        for (int i = 0; i < 1000 && !parts; i++)
        {
            parts = Together(took: s_step / 20, more: true);
            _now += s_step / 20;
        }

        Assert.True(parts);
    }

    // Such a step mostly keeps up: with more to do, batches get larger and an item cheaper. One that leaves items does not.
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void PartsAfter_StepsShorterThanAWakeUp_TriesWhereTheyLeaveItems(bool more)
    {
        bool parts = false;
        for (int i = 0; i < 10_000 && !parts; i++) parts = Together(took: ReadyQueue.WakeUp, more: more, items: 10);
        Assert.Equal(more, parts);
    }
}
