using Raceway.Rings;

namespace Raceway.Pipelines.Tests.Plans;

/// <summary>Definitions drawn at random, with maps, expansions, branches and joins: every plan gives what a loop would.</summary>
public sealed class RandomDefinitionTests
{
    private const int Seeds = 12;

    public static TheoryData<Plan> Plans => Cases.Plans;

    [Theory]
    [MemberData(nameof(Plans))]
    public async Task AnyDefinition_EveryStageSeesWhatTheModelDoes(Plan plan)
    {
        for (int seed = 0; seed < Seeds; seed++)
        {
            RandomDefinition drawn = RandomDefinition.Of(seed);
            await using Pipeline<Plain> pipeline = await RunAsync(drawn, plan);

            DrainResult result = await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang();

            Assert.True(result.IsDrained, $"seed {seed}: {result}");
            Assert.Equal(RingState.Stopped, pipeline.State);
            Assert.True(pipeline.Completion.IsCompletedSuccessfully);
            foreach (StageLog log in drawn.Logs) AssertSame(seed, log.Name, log.Expected, log.Seen);
            Assert.Equal(0, pipeline.Unprocessed);
        }
    }

    [Theory]
    [MemberData(nameof(Plans))]
    public async Task ItemsPassedOver_HaveNoResultAndNoParts(Plan plan)
    {
        for (int seed = 100; seed < 100 + Seeds; seed++)
        {
            RandomDefinition drawn = RandomDefinition.Of(seed, skips: true);
            await using Pipeline<Plain> pipeline = await RunAsync(drawn, plan);

            DrainResult result = await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang();

            Assert.True(result.IsDrained, $"seed {seed}: {result}");
            foreach (StageLog log in drawn.Logs) AssertSame(seed, log.Name, log.Expected, log.Seen);
        }
    }

    [Theory]
    [MemberData(nameof(Plans))]
    public async Task FaultAnywhere_EndsEveryRingWithItsCause(Plan plan)
    {
        for (int seed = 200; seed < 200 + Seeds; seed++)
        {
            IReadOnlyList<StageLog> stages = RandomDefinition.Of(seed).Logs;
            StageLog chosen = stages[seed % stages.Count];
            if (!chosen.CanFail) continue;
            RandomDefinition drawn = RandomDefinition.Of(seed, faulty: chosen.Name);
            await using Pipeline<Plain> pipeline = await RunAsync(drawn, plan, faults: true);

            DrainResult result = await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang();

            var fault = await Assert.ThrowsAsync<RingFaultedException>(() => pipeline.Completion.OrHang());
            Assert.Equal(chosen.Name, fault.Stage);
            Assert.StartsWith("failed at", fault.InnerException!.Message, StringComparison.Ordinal);
            Assert.Equal((DrainStatus.Faulted, RingState.Faulted), (result.Status, pipeline.State));
            Assert.All(pipeline.Rings, ring => Assert.Equal(RingState.Faulted, ring.State));
            foreach (StageLog log in drawn.Logs)
                AssertSame(seed, log.Name, [.. log.Expected.Take(log.Seen.Count)], log.Seen);
            Assert.Equal(chosen.FailsAt, drawn.Logs.Single(log => log.Name == chosen.Name).Seen.Count);
        }
    }

    private static async Task<Pipeline<Plain>> RunAsync(RandomDefinition drawn, Plan plan, bool faults = false)
    {
        Pipeline<Plain> pipeline = drawn.Builder.Run(plan);
        // Ends with the pipeline; where it drives itself there is none.
        using Pump? pump = Pump.For(pipeline);
        SingleProducer<Plain> producer = pipeline.CreateProducer();
        Task publishing = Task.Run(() =>
        {
            foreach (long value in drawn.Source)
            {
                Plain item = default;
                Plain.Set(ref item, value);
                producer.Publish(item);
            }
        });
        if (faults) await Record.ExceptionAsync(() => publishing.OrHang());
        else await publishing.OrHang();
        await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang();
        return pipeline;
    }

    private static void AssertSame(int seed, string stage, IReadOnlyList<long> expected, IReadOnlyList<long> seen)
    {
        if (expected.SequenceEqual(seen)) return;
        int at = expected.Zip(seen).TakeWhile(pair => pair.First == pair.Second).Count();
        Assert.Fail(
            $"seed {seed}, stage '{stage}': {seen.Count} of {expected.Count} items, from {at} on "
            + $"{string.Join(',', seen.Skip(at).Take(5))} instead of {string.Join(',', expected.Skip(at).Take(5))}");
    }
}
