using Raceway.Analysis.Tuning;

namespace Raceway.Lab.Tests.Analysis.Tuning;

/// <summary>How the time of finals is cut into rounds and starts.</summary>
public sealed class FinalRoundsTests
{
    [Theory]
    [InlineData(0, 11, 15)] // no time: the fewest and the shortest
    [InlineData(400, 11, 26)] // the fewest, shorter than a start should be
    [InlineData(2_000, 50, 30)]
    [InlineData(60_000, 101, 584)] // the most, longer ones
    public void OfOneStart_TimeForARound_IsAsManyAsItGives(double time, int rounds, double length) =>
        Expect(rounds, 1, length, FinalRounds.OfOneStart(Millis(time), 11, Millis(15), null));

    [Theory]
    [InlineData(1_000_000, 33, 50)]
    [InlineData(2_000, 11, 171)] // a thousand items take longer than there is
    public void OfOneStart_AtARate_AStartIsOfEnoughItems(double rate, int rounds, double length) =>
        Expect(rounds, 1, length, FinalRounds.OfOneStart(Millis(2_000), 11, Millis(50), rate));

    [Theory]
    [InlineData(0, 1, 15)]
    [InlineData(1_500, 1, 90)] // two starts would be an even number
    [InlineData(3_000, 5, 150)]
    [InlineData(3_600, 5, 190)]
    public void Shared_TimeForARound_IsCutIntoAnOddNumberOfStarts(double time, int starts, double length) =>
        Expect(15, starts, length, FinalRounds.Shared(15, Millis(time), Millis(15), null));

    [Theory]
    [InlineData(20, 12, 6, 8, 32)]
    [InlineData(12, 12, 6, 6, 18)]
    [InlineData(80, 12, 6, 32, 101)] // the most
    [InlineData(11, 12, 6, 6, 16)]
    [InlineData(10, 12, 6, 0, 10)] // too few to see which have no chance
    [InlineData(20, 7, 6, 0, 20)] // one less is no gain
    public void WithHeat_SomeLeave_TheBestHaveTheirTime(int count, int all, int kept, int heat, int expected)
    {
        FinalRounds rounds = new FinalRounds(count, 1, Millis(30)).WithHeat(all, kept);

        Assert.Equal(new FinalRounds(expected, 1, Millis(30), heat), rounds);
    }

    private static void Expect(int count, int starts, double length, FinalRounds rounds)
    {
        Assert.Equal((count, starts), (rounds.Count, rounds.Starts));
        Assert.Equal(length, rounds.Length.TotalMilliseconds, 1.0);
    }

    private static TimeSpan Millis(double time) => TimeSpan.FromMilliseconds(time);
}
