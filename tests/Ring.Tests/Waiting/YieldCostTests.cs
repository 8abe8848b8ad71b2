namespace Raceway.Rings.Tests;

/// <summary>When a waiting thread goes on yielding, and when it sleeps instead: by what its yields took.</summary>
public sealed class YieldCostTests
{
    private const long Start = 1_000_000_000;

    [Fact]
    public void Add_Alone_LetsNoThreadRun()
    {
        var cost = new YieldCost();

        Assert.False(cost.Add(Start, Start + Clock.Ticks(TimeSpan.FromMicroseconds(1))));
        Assert.True(cost.IsWorthIt(Start));
    }

    // Threads of the same ring wait soon, and give the processor back.
    [Fact]
    public void Add_AnotherThreadRanForAMoment_IsWorthIt()
    {
        var cost = new YieldCost();
        long now = Start + Clock.Ticks(TimeSpan.FromMicroseconds(500));

        Assert.True(cost.Add(Start, now));
        Assert.True(cost.IsWorthIt(now));
    }

    [Fact]
    public void Add_ASliceWasLost_IsNotWorthItForAWhile()
    {
        var cost = new YieldCost();
        long lost = Start + Clock.Ticks(TimeSpan.FromMilliseconds(3));
        long later = lost + Clock.Ticks(TimeSpan.FromMilliseconds(200));

        Assert.True(cost.Add(Start, lost));
        Assert.False(cost.IsWorthIt(lost));
        Assert.False(cost.IsWorthIt(later - 1));
        Assert.True(cost.IsWorthIt(later));
    }
}
