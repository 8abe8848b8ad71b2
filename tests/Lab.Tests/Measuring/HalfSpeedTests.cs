using Raceway.Measuring;

namespace Raceway.Lab.Tests.Measuring;

/// <summary>Half of a contestant's speed is found in the time that there is, and from runs that say something.</summary>
public sealed class HalfSpeedTests
{
    [Fact]
    public void RateOf_NoTimeIsLeft_IsFromRunsOfTheGivenLength()
    {
        var fast = new CostlyStart();

        double rate = HalfSpeed.RateOf(fast, 1_000, TimeSpan.Zero, CancellationToken.None);

        Assert.All(fast.Lengths, static length => Assert.InRange(length, 1_000, long.MaxValue));
        Assert.InRange(rate, 400, 600);
    }

    /// <summary>A run takes a second, whatever it does.</summary>
    private sealed class CostlyStart : IContestant
    {
        public List<long> Lengths { get; } = [];

        public string Name => "costly-start";

        public int BusyThreads => 1;

        public Sample Run(long operations, CancellationToken cancellation)
        {
            Lengths.Add(operations);
            return new Sample(operations, 1, Verified: true);
        }
    }
}
