using Raceway.Measuring;

namespace Raceway.Lab.Tests.Measuring;

/// <summary>Half of a contestant's speed is found in the time that there is, and from runs that say something.</summary>
public sealed class HalfSpeedTests
{
    [Fact]
    public void RateOf_NoTimeIsLeft_IsFromRunsOfTheGivenLength()
    {
        var fast = new CostlyStart();

        double rate = HalfSpeed.RateOf(fast, 1_000, new TimeBudget(new FakeClock(), TimeSpan.Zero), CancellationToken.None);

        Assert.All(fast.Lengths, static length => Assert.InRange(length, 1_000, long.MaxValue));
        Assert.InRange(rate, 400, 600);
    }

    // The first run has taken most of the time. A fifth of what is left is half a millisecond, and a run of the given length takes a
    // hundredth of that: mostly what it costs to begin one.
    [Fact]
    public void RateOf_HardlyAnyTimeIsLeft_RunsGrowToWhatThereIsTimeFor()
    {
        var clock = new FakeClock();
        var fast = new SlowAtFirst(clock);

        double rate = HalfSpeed.RateOf(fast, 1_000, new TimeBudget(clock, TimeSpan.FromMilliseconds(102.5)), CancellationToken.None);

        Assert.InRange(fast.Longest, 100_000, long.MaxValue);
        Assert.InRange(rate, 0.45e9, 0.5e9);
    }

    /// <summary>Its first run takes 100 ms. Each later one takes 4 µs to begin, and a nanosecond an operation.</summary>
    private sealed class SlowAtFirst(FakeClock clock) : IContestant
    {
        public long Longest { get; private set; }

        public string Name => "slow-at-first";

        public int BusyThreads => 1;

        public Sample Run(long operations, CancellationToken cancellation)
        {
            TimeSpan took = Longest == 0 ? TimeSpan.FromMilliseconds(100) : TimeSpan.FromMicroseconds(4 + (operations / 1_000));
            Longest = Math.Max(Longest, operations);
            clock.Advance(took);
            return new Sample(operations, took.TotalSeconds, Verified: true);
        }
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
