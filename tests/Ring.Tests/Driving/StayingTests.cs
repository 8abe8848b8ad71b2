namespace Raceway.Rings.Tests;

/// <summary>A unit stays ready where its items come soon, and learns where they do not.</summary>
public sealed class StayingTests
{
    private const long WakeUp = 800;
    private const long Soon = WakeUp / 8; // for a unit that stays for few steps

    [Fact]
    public void Stays_BeforeAnItemCameSoon_No()
    {
        var staying = new Staying(WakeUp);
        Assert.False(staying.Stays(now: 1));
        staying.Ends();
        staying.Signalled(1 + Soon);

        Assert.False(staying.Stays(now: 500));
    }

    [Fact]
    public void Stays_AfterAnItemCameSoon_ForSomeSteps()
    {
        Staying staying = Learned();

        Assert.Equal(Staying.MostSteps, StepsOf(ref staying, from: 500));
    }

    // Just behind the stay, or long behind it: both are too late.
    [Theory]
    [InlineData(Soon)]
    [InlineData(Soon + 1)]
    [InlineData(WakeUp * 5)]
    public void Stays_ItemsComeLaterAgainAndAgain_NoMore(long later)
    {
        Staying staying = Learned();
        long now = 1_000;
        for (int miss = 0; miss < Staying.MostMisses; miss++, now += 10_000)
        {
            Assert.Equal(Staying.MostSteps, StepsOf(ref staying, now));
            staying.Ends();
            staying.Signalled(now + later);
            staying.Found();
        }

        Assert.False(staying.Stays(now));
        staying.Ends();
        staying.Signalled(now + Soon - 1);
        staying.Found();

        // In time, had it stayed.
        Assert.True(staying.Stays(now + Soon));
    }

    [Fact]
    public void Stays_ItemsComeLaterNowAndThen_GoesOn()
    {
        Staying staying = Learned();
        long now = 1_000;
        for (int turn = 0; turn < 2 * Staying.MostMisses; turn++, now += 10_000)
        {
            Assert.Equal(Staying.MostSteps, StepsOf(ref staying, now));
            staying.Ends();
            staying.Signalled(now + (2 * Soon));
            staying.Found();
            // In time, this one.
            Assert.True(staying.Stays(now + 5_000));
            Assert.True(staying.HasStayed);
            staying.Found();
            Assert.False(staying.HasStayed);
        }
    }

    [Fact]
    public void Stays_OnOneProcessor_Never()
    {
        var staying = new Staying(wakeUp: 0);
        Assert.False(staying.Stays(now: 1));
        staying.Ends();
        staying.Signalled(1);

        Assert.False(staying.Stays(now: 2));
    }

    [Fact]
    public void Stays_ManySteps_ForAsLongAsAWakeUpTakes_AndThatIsAMiss()
    {
        Staying staying = Learned(Staying.MostStepsOfGroup);
        for (long now = 1_000, miss = 0; miss < Staying.MostMisses; miss++, now += 10_000)
        {
            Assert.True(staying.Stays(now));
            staying.Signalled(0);
            Assert.True(staying.Stays(now + WakeUp - 1));
            staying.Signalled(0);
            Assert.False(staying.Stays(now + WakeUp));
            staying.Ends();
            staying.Signalled(now + WakeUp + 1);
            staying.Found();
        }

        Assert.False(staying.Stays(now: 50_000));
    }

    private static Staying Learned(int most = Staying.MostSteps)
    {
        var staying = new Staying(WakeUp, most);
        Assert.False(staying.Stays(now: 1));
        staying.Ends();
        staying.Signalled(Soon);
        staying.Found();
        return staying;
    }

    private static int StepsOf(ref Staying staying, long from)
    {
        int steps = 0;
        while (staying.Stays(from))
        {
            steps++;
            // It is stepped again, and nothing has signalled it.
            staying.Signalled(0);
        }

        return steps;
    }
}
