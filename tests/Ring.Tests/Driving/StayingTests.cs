namespace Raceway.Rings.Tests;

/// <summary>A unit stays ready where its items come soon, and learns where they do not.</summary>
public sealed class StayingTests
{
    private const long Soon = 100;

    [Fact]
    public void Stays_BeforeAnItemCameSoon_No()
    {
        var staying = new Staying(Soon);
        Assert.False(staying.Stays(now: 1));
        staying.Signalled(Soon);
        Assert.False(staying.Stays(now: 1));
    }

    [Fact]
    public void Stays_AfterAnItemCameSoon_ForSomeSteps()
    {
        var staying = new Staying(Soon);
        staying.Signalled(Soon - 1);

        Assert.Equal(Staying.MostSteps, StepsOf(ref staying));
    }

    [Fact]
    public void Stays_ItemsComeLaterAgainAndAgain_NoMore()
    {
        var staying = new Staying(Soon);
        staying.Signalled(0);
        for (int miss = 0; miss < Staying.MostMisses; miss++)
        {
            Assert.Equal(Staying.MostSteps, StepsOf(ref staying));
            staying.Ends();
            staying.Signalled(Soon);
        }

        Assert.Equal(0, StepsOf(ref staying));
    }

    [Fact]
    public void Stays_ItemsComeLaterNowAndThen_GoesOn()
    {
        var staying = new Staying(Soon);
        staying.Signalled(0);
        for (int turn = 0; turn < 2 * Staying.MostMisses; turn++)
        {
            Assert.Equal(Staying.MostSteps, StepsOf(ref staying));
            staying.Ends();
            staying.Signalled(Soon);
            // In time, this one.
            Assert.True(staying.Stays(now: 1));
            Assert.True(staying.HasStayed);
            staying.Found();
            Assert.False(staying.HasStayed);
        }
    }

    [Fact]
    public void Stays_NoTimeIsSoonEnough_Never()
    {
        var staying = new Staying(0);
        staying.Signalled(0);
        Assert.False(staying.Stays(now: 1));
    }

    [Fact]
    public void Stays_ForAsLongAsAWakeUpTakes_NoLonger()
    {
        var staying = new Staying(Soon);
        staying.Signalled(0);
        Assert.True(staying.Stays(now: 7));
        Assert.True(staying.Stays(now: 7 + Soon - 1));
        Assert.False(staying.Stays(now: 7 + Soon));

        // The next stay is as long.
        staying.Ends();
        Assert.True(staying.Stays(now: 500));
        Assert.True(staying.Stays(now: 500 + Soon - 1));
    }

    private static int StepsOf(ref Staying staying)
    {
        int steps = 0;
        while (staying.Stays(now: 1)) steps++;
        return steps;
    }
}
