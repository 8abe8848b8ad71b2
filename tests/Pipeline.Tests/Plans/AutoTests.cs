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
        Assert.SkipWhen(Environment.ProcessorCount == 1, "not run: with one processor there are no helpers");
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
        Assert.SkipWhen(Environment.ProcessorCount == 1, "not run: with one processor there are no helpers");
        for (int round = 0; round < 20; round++)
        {
            // A helper is held in the first call that it makes, so the end begins while it is inside.
            using var held = new ManualResetEventSlim();
            using var letGo = new ManualResetEventSlim();
            Action hold = () =>
            {
                held.Set();
                letGo.Wait();
            };
            var stages = new[] { new Busy(microseconds: 2, hold), new Busy(microseconds: 2, hold) };
            await using Pipeline<long> pipeline = Define(stages).Run(Plan.Auto);
            SingleProducer<long> producer = pipeline.CreateProducer();
            long count = 0;
            Task ending;
            try
            {
                Watchdog.Until(
                    () =>
                    {
                        for (int i = 0; i < 100 && producer.TryPublish(count) == ClaimStatus.Done; i++) count++;
                        return held.IsSet;
                    },
                    "help");
                ending = halts ? pipeline.HaltAsync() : pipeline.DrainAsync(Timeout.InfiniteTimeSpan);
                // Turns in which a group that does not wait for its helper would go on.
                for (int i = 0; i < 1_000; i++) Thread.Yield();
            }
            finally
            {
                letGo.Set();
            }

            await ending.OrHang();

            Assert.All(stages, stage => Assert.Equal((1, 1, false), (stage.Starts, stage.Stops, stage.Overlapped)));
            Assert.Equal(count, stages[1].Seen + pipeline.Unprocessed);
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

    /// <param name="microseconds">What an item takes.</param>
    /// <param name="byHelper">Called first in every call of a thread that has not begun the stage.</param>
    private sealed class Busy(int microseconds, Action? byHelper = null) : IBatchHandler<long>, IStageLifetime
    {
        private int _last;
        private int _own;
        private int _calls;

        /// <summary>Whether a call, or the end, came while another call was under way.</summary>
        public bool Overlapped { get; private set; }

        public int Starts { get; private set; }

        public int Stops { get; private set; }

        public long Seen { get; private set; }

        /// <summary>The item expected: behind the last one seen, as long as they came in order.</summary>
        public long Next { get; private set; }

        /// <summary>How many threads have called it, as far as can be told from one call to the next.</summary>
        public int Threads { get; private set; }

        public void OnStart()
        {
            Starts++;
            _own = Environment.CurrentManagedThreadId;
        }

        public void OnStop()
        {
            Stops++;
            Overlapped |= Volatile.Read(ref _calls) > 0;
        }

        public void OnBatch(Batch<long> batch)
        {
            Overlapped |= Interlocked.Increment(ref _calls) > 1;
            if (Environment.CurrentManagedThreadId != _own) byHelper?.Invoke();
            if (Environment.CurrentManagedThreadId != _last) Threads++;
            _last = Environment.CurrentManagedThreadId;
            foreach (ref long item in batch)
            {
                long until = Stopwatch.GetTimestamp() + (Stopwatch.Frequency * microseconds / 1_000_000);
                while (Stopwatch.GetTimestamp() < until) Thread.SpinWait(1);
                Seen++;
                if (item == Next) Next++;
            }

            Interlocked.Decrement(ref _calls);
        }
    }
}
