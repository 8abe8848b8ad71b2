namespace Raceway.Rings.Tests;

/// <summary>Stages that gain apart come together now and then to look at both: the more they gain, the more that costs, and the later it is.</summary>
public sealed class GroupChoiceLooksTests : GroupChoiceLoad
{
    private const int Cheap = 20_000; // of 50 ns

    // Together they would not do in its 2 ms what they gain: two hundred times that, in milliseconds. A count is of eight steps.
    [Theory]
    [InlineData(200, 200)]
    [InlineData(400, 300)]
    public void JoinsAfter_Gains_IsBehindTwoHundredTimesTheCost(int percent, int milliseconds)
    {
        Part();
        AssertIsBehind(milliseconds, StaysApart(Full * percent / 100));
    }

    // Their look takes 10 ms.
    [Theory]
    [InlineData(125, 400)]
    [InlineData(200, 1000)]
    public void JoinsAfter_CheapItemsGain_TheLookTakesLongerAndIsLater(int percent, int milliseconds)
    {
        WorkUntilTheyPart(Cheap);
        AssertIsBehind(milliseconds, StaysApart(Cheap * percent / 100));
    }

    // The mean says it, and no single count: one of them is low now and then.
    [Fact]
    public void JoinsAfter_CountsDiffer_TheMeanDecides()
    {
        Part();
        int steps = 0;
        for (bool joins = false; !joins; steps++)
        {
            // Four steps to settle, and then counts of eight by turns.
            bool low = steps < 4 || ((steps - 4) / 8) % 2 == 0;
            joins = Apart(low ? Full * 106 / 100 : Full * 294 / 100);
        }

        Assert.InRange(steps, 190, 216);
    }

    // What they gained the last time says nothing about this one.
    [Fact]
    public void JoinsAfter_GainedMoreBefore_IsForgotten()
    {
        Part();
        StaysApart(Full * 4);
        Part();
        Assert.InRange(StaysApart(Full * 106 / 100), GroupChoice.FirstStay * 2, (GroupChoice.FirstStay * 2) + (9 * s_step));
    }

    private static void AssertIsBehind(int milliseconds, long stayed) =>
        Assert.InRange(stayed, milliseconds * s_step, (milliseconds + 9) * s_step);
}
