using System.Diagnostics;
using Raceway.Rings;

namespace Raceway.Pipelines.Tests.Plans;

/// <summary>What Auto comes to, and that the stages do not notice.</summary>
public sealed class AutoTests
{
    [Fact]
    public void OtherPlans_AreAskedFor() =>
        Assert.Equal(
            (Plan.Fused, "asked for"), Of(Pipeline.Of<int>(8).Stage("a", static (ref int _) => { }).Build(Plan.Fused)));

    [Fact]
    public void HandlersThatAwait_ArePooled()
    {
        Pipeline<int> pipeline = Pipeline.Of<int>(8)
            .Stage("a", static (ref int _) => { }).Stage("b", new Awaits()).Build(Plan.Auto);

        Assert.Equal((Plan.Pooled, "1 of 2 stages await, and hold no thread meanwhile"), Of(pipeline));
        Assert.Contains("\nplan: 1 of 2 stages await", pipeline.Dump(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task HeavyStages_AreHelped_AndSeeTheSame()
    {
        var stages = new Busy[3];
        for (int i = 0; i < stages.Length; i++) stages[i] = new Busy(microseconds: 2);
        await using Pipeline<long> pipeline = Define(stages).Run(Plan.Auto);
        if (Environment.ProcessorCount == 1) return;
        SingleProducer<long> producer = pipeline.CreateProducer();
        long count = 0;
        await Task.Run(() => Watchdog.Until(
            () =>
            {
                for (int i = 0; i < 100; i++) producer.Publish(count++);
                return Array.Exists(stages, static stage => stage.Threads > 1);
            },
            "help")).OrHang();
        for (int i = 0; i < 2_000; i++) producer.Publish(count++);
        Assert.True((await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang()).IsDrained);

        Assert.Equal(Plan.Fused, pipeline.Plan);
        Assert.Matches(@"^3 stages on \d+ processors: one thread; \d+ more help while dear items queue$", pipeline.PlanReason);
        Assert.All(stages, stage => Assert.Equal((count, count, 1, 1), (stage.Seen, stage.Next, stage.Starts, stage.Stops)));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task EndingWhileHelped_EveryHookRunsOnce(bool halts)
    {
        for (int round = 0; round < 40; round++)
        {
            var stages = new[] { new Busy(microseconds: 1), new Busy(microseconds: 1) };
            await using Pipeline<long> pipeline = Define(stages).Run(Plan.Auto);
            SingleProducer<long> producer = pipeline.CreateProducer();
            for (int i = 0; i < 100 + round * 8; i++) producer.Publish(i);
            if (halts) await pipeline.HaltAsync().OrHang();
            else await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang();

            Assert.All(stages, stage => Assert.Equal((1, 1), (stage.Starts, stage.Stops)));
            Assert.Equal(100 + round * 8, stages[1].Seen + pipeline.Unprocessed);
        }
    }

    private static PipelineBuilder<long, long> Define(Busy[] stages)
    {
        PipelineBuilder<long, long> builder = Pipeline.Of<long>(1024).HaltOnDispose();
        for (int i = 0; i < stages.Length; i++) builder.Stage($"s{i}", stages[i]);
        return builder;
    }

    private static (Plan Plan, string Reason) Of(Pipeline<int> pipeline) => (pipeline.Plan, pipeline.PlanReason);

    private sealed class Awaits : IAsyncBatchHandler<int>
    {
        public ValueTask OnBatchAsync(AsyncBatch<int> batch, CancellationToken cancellation) => default;
    }

    private sealed class Busy(int microseconds) : IBatchHandler<long>, IStageLifetime
    {
        private int _last;

        public int Starts { get; private set; }

        public int Stops { get; private set; }

        public long Seen { get; private set; }

        /// <summary>The item expected: behind the last one seen, as long as they came in order.</summary>
        public long Next { get; private set; }

        /// <summary>How many threads have called it, as far as can be told from one call to the next.</summary>
        public int Threads { get; private set; }

        public void OnStart() => Starts++;

        public void OnStop() => Stops++;

        public void OnBatch(Batch<long> batch)
        {
            if (Environment.CurrentManagedThreadId != _last) Threads++;
            _last = Environment.CurrentManagedThreadId;
            foreach (ref long item in batch)
            {
                long until = Stopwatch.GetTimestamp() + (Stopwatch.Frequency * microseconds / 1_000_000);
                while (Stopwatch.GetTimestamp() < until) Thread.SpinWait(1);
                Seen++;
                if (item == Next) Next++;
            }
        }
    }
}
