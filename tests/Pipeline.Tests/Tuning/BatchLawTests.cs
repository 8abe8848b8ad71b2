namespace Raceway.Pipelines.Tests.Tuning;

/// <summary>What limit follows from what is observed.</summary>
public sealed class BatchLawTests
{
    private static readonly TimeSpan s_target = TimeSpan.FromMilliseconds(1);

    private static BatchSample Sample(long items, long batches, long full, double microsecondsABatch) =>
        new(items, batches, full, TimeSpan.FromMicroseconds(microsecondsABatch * batches));

    [Theory]
    [InlineData(1024, 100, 1_200, 512)]  // too long: halved
    [InlineData(1024, 0, 1_200, 50)]     // a limit that no batch of 100 comes to: to where it does something
    [InlineData(1024, 100, 950, 1024)]   // near enough
    [InlineData(1024, 100, 500, 1151)]   // full and short: a 32nd of the range more
    [InlineData(1024, 9, 500, 1024)]     // short, but the limit closes too few
    [InlineData(4000, 100, 500, 4096)]   // not above the upper bound
    [InlineData(1, 100, 1_200, 1)]       // not below the lower
    [InlineData(9_999, 100, 500, 4096)]  // outside: back first
    public void Latency_OneObservation_GivesTheLimit(int limit, long full, double microseconds, int expected)
    {
        BatchLaw law = BatchGoal.Latency(s_target).CreateLaw(1, 4096);
        (int next, string reason) = law.Decide(limit, Sample(10_000, 100, full, microseconds));
        Assert.Equal(expected, next);
        Assert.NotEmpty(reason);
    }

    // A stage whose batches take a fixed time and so much an item: both ways it comes to where a batch takes the target.
    [Theory]
    [InlineData(4096, 10)]
    [InlineData(1, 10)]
    [InlineData(4096, 3)]
    [InlineData(1, 1)]
    public void Latency_LinearStage_ConvergesToTheTarget(int limit, double microsecondsAnItem)
    {
        BatchLaw law = BatchGoal.Latency(s_target).CreateLaw(1, 4096);
        for (int i = 0; i < 200; i++) limit = law.Decide(limit, Sample(100L * limit, 100, 100, 20 + limit * microsecondsAnItem)).Limit;
        double ideal = (1_000 - 20) / microsecondsAnItem;
        Assert.InRange(limit, ideal / 2 - 128, ideal + 128);
    }

    [Theory]
    [InlineData(1, 200, 16, 4096)] // a fixed cost a batch: larger is better all the way
    [InlineData(4096, 0, 1, 16)]   // none: smaller costs nothing, all the way down
    public void Throughput_LinearStage_GoesWhereItPays(int limit, double microsecondsABatch, int least, int most)
    {
        BatchLaw law = BatchGoal.Throughput.CreateLaw(1, 4096);
        for (int i = 0; i < 12; i++) limit = law.Decide(limit, Sample(100L * limit, 100, 100, microsecondsABatch + limit)).Limit;
        Assert.InRange(limit, least, most);
    }

    [Fact]
    public void Throughput_StepThatCosts_IsTakenBackAndRested()
    {
        BatchLaw law = BatchGoal.Throughput.CreateLaw(1, 4096);
        int limit = law.Decide(256, Sample(25_600, 100, 100, 256)).Limit;
        Assert.Equal(512, limit);
        // Twice as slow an item: the caches are too small for it.
        limit = law.Decide(limit, Sample(51_200, 100, 100, 1_024)).Limit;
        Assert.Equal(256, limit);
        for (int i = 0; i < 16; i++) Assert.Equal(256, law.Decide(256, Sample(25_600, 100, 100, 256)).Limit);
        Assert.Equal(128, law.Decide(256, Sample(25_600, 100, 100, 256)).Limit);
    }

    // Whatever is observed, and however it comes about.
    [Theory]
    [InlineData(1, 1)]
    [InlineData(1, 4096)]
    [InlineData(7, 9)]
    [InlineData(1, int.MaxValue)]
    [InlineData(int.MaxValue, int.MaxValue)]
    public void Decide_AnythingObserved_StaysInBounds(int min, int max)
    {
        long[] numbers = [long.MinValue, -1, 0, 1, 2, 100, 1L << 40, long.MaxValue];
        var random = new Random(min ^ max);
        foreach (BatchGoal goal in (BatchGoal[])[BatchGoal.Latency(TimeSpan.FromTicks(1)), BatchGoal.Latency(TimeSpan.MaxValue), BatchGoal.Latency(s_target), BatchGoal.Throughput])
        {
            BatchLaw law = goal.CreateLaw(min, max);
            int limit = random.Next(2) == 0 ? min : max;
            for (int i = 0; i < 5_000; i++)
            {
                var sample = new BatchSample(Any(), Any(), Any(), TimeSpan.FromTicks(Any()));
                int from = random.Next(10) == 0 ? random.Next(int.MinValue, int.MaxValue) : limit;
                limit = law.Decide(from, sample).Limit;
                Assert.InRange(limit, min, max);
            }
        }

        long Any() => random.Next(3) == 0 ? random.NextInt64(0, 100_000) : numbers[random.Next(numbers.Length)];
    }
}
