using Raceway.Rings;

namespace Raceway.Pipelines.Tests.Plans;

/// <summary>Stateless stages of pipelines: where several threads work on one, where not, and what cannot be one.</summary>
public sealed class StatelessTests
{
    private const int Count = 40;
    // The first items are published one at a time. Their calls take long: from these two a stage learns what an item costs.
    private const int FirstItems = 2;

    private static readonly StageOptions s_stateless = new() { IsStateless = true, MostThreads = 3 };

    public static TheoryData<Plan> Plans => [.. Enum.GetValues<Plan>()];

    [Theory]
    [MemberData(nameof(Plans))]
    public async Task UnderEveryPlan_TheStageBehindSeesAllInOrder(Plan plan)
    {
        var work = new Work();
        List<long> seen = [];
        await using Pipeline<long> pipeline = Pipeline.Of<long>(64)
            .Stage("first", (ref long _) => { })
            .Stage("work", work, s_stateless)
            .Stage("last", (ref long item) => seen.Add(item))
            .Run(plan);
        await Feed(pipeline);

        Assert.Equal(Expected(), seen);
        Assert.Equal(Enumerable.Repeat(1, Count), work.Calls);
        StageStatistics done = pipeline["work"].GetStatistics();
        Assert.Equal(Count, done.Items);
        Assert.Equal(3, pipeline.GetStatistics().Count);
        bool splits = plan is Plan.Auto or Plan.Pooled;
        Assert.Equal(splits, done.Split > 0);
        Assert.Equal(splits, done.Parts > done.Split);
        Assert.Equal(splits, pipeline.Dump().Contains("parts", StringComparison.Ordinal));
    }

    // Two calls wait for each other: one thread alone would hang.
    [Fact]
    public async Task ByDefault_SeveralThreadsAreInsideAtOnce()
    {
        using var met = new Barrier(2);
        var work = new Work { Met = met };
        await using Pipeline<long> pipeline = Pipeline.Of<long>(64).Stage("work", work, s_stateless).Run();
        await Feed(pipeline);
        Assert.Equal(Enumerable.Repeat(1, Count), work.Calls);
    }

    [Fact]
    public async Task BehindAFilter_HasTheSelectedItems()
    {
        var work = new Work();
        List<long> seen = [];
        await using Pipeline<long> pipeline = Pipeline.Of<long>(64)
            .Filter("half", (ref readonly long item) => IsSelected(item))
            .Stage("work", work, s_stateless)
            .Stage("last", (ref long item) => seen.Add(item))
            .Run();
        await Feed(pipeline);
        Assert.Equal(Expected().Where(item => IsSelected(item - 1000)), seen);
        Assert.Equal(Enumerable.Range(0, Count).Select(item => IsSelected(item) ? 1 : 0), work.Calls);
        Assert.InRange(pipeline["work"].GetStatistics().Split, 1, long.MaxValue);

        // The ones alone are: a call of the others would tell that it costs nothing.
        static bool IsSelected(long item) => item % 4 < FirstItems;
    }

    [Fact]
    public async Task Map_WritesEachResultInItsPlace()
    {
        List<string> seen = [];
        await using Pipeline<long> pipeline = Pipeline.Of<long>(64)
            .Map("text", new Texts(), s_stateless)
            .Stage("last", (ref string text) => seen.Add(text))
            .Run();
        await Feed(pipeline);
        Assert.Equal(Enumerable.Range(0, Count).Select(item => $"{item}"), seen);
        Assert.InRange(pipeline["text"].GetStatistics().Split, 1, long.MaxValue);
    }

    [Theory]
    [InlineData("workers", "its workers share the items already")]
    [InlineData("lanes", "a lane keeps the order of its keys")]
    [InlineData("filter", "it marks for many slots at once")]
    [InlineData("poller", "its user polls it")]
    [InlineData("expansion", "what it makes comes out in one order")]
    [InlineData("awaits", "Only a handler that is done when it returns")]
    [InlineData("outcomes", "Only a handler that is done when it returns")]
    [InlineData("conflates", "and keeps nothing, can be stateless")]
    [InlineData("conflates behind a filter", "and keeps nothing, can be stateless")]
    public void WhatCannotBeStateless_IsRefused(string kind, string why)
    {
        PipelineBuilder<long, long> builder = Pipeline.Of<long>(64);
        StageOptions options = new() { IsStateless = true };
        switch (kind)
        {
            case "workers":
                builder.Workers("mine", 2, (ref long _) => { }, options);
                break;
            case "lanes":
                builder.Lanes("mine", 2, (ref readonly long item) => item, (ref long _) => { }, options);
                break;
            case "filter":
                builder.Filter("mine", (ref readonly long _) => true, options);
                break;
            case "poller":
                builder.Poller("mine", options);
                break;
            case "expansion":
                builder.Expand<long>("mine", 8, (ref long item, Emitter<long> next) => { }, options).Stage("last", (ref long _) => { });
                break;
            case "awaits":
                builder.Stage("mine", new AsyncLambda<long>((_, _) => ValueTask.CompletedTask), options);
                break;
            case "conflates":
                builder.Stage("mine", Conflating(), options);
                break;
            case "conflates behind a filter":
                builder.Filter("even", (ref readonly long item) => item % 2 == 0).Stage("mine", Conflating(), options);
                break;
            default:
                builder.Stage("mine", new OutcomeLambda<long>(_ => BatchOutcome.Done), options);
                break;
        }

        var problems = Assert.Throws<PipelineBuildException>(() => builder.Build());
        string problem = Assert.Single(problems.Problems);
        Assert.Contains(why, problem, StringComparison.Ordinal);
        Assert.Contains("stage='mine', IsStateless=true", problem, StringComparison.Ordinal);
        Assert.Contains("Leave it out", problem, StringComparison.Ordinal);

        static IBatchHandler<long> Conflating() =>
            Overflow.ConflateByKey(static (ref readonly long item) => item / 10, new BatchLambda<long>(static _ => { }));
    }

    [Fact]
    public async Task PlanReason_NamesTheStagesAndTheirThreads()
    {
        static PipelineBuilder<long, long> Define() => Pipeline.Of<long>(64)
            .Stage("plain", (ref long _) => { })
            .Stage("work", (ref long _) => { }, new StageOptions { IsStateless = true });

        await using Pipeline<long> auto = Define().Build();
        Assert.Contains("stateless 'work': ", auto.PlanReason, StringComparison.Ordinal);
        Assert.Contains(
            Environment.ProcessorCount == 1 ? "one thread, as there is one processor" : $"up to {Environment.ProcessorCount} threads each, while that pays",
            auto.PlanReason, StringComparison.Ordinal);
        await using Pipeline<long> told = Define().WaitWith(Wait.Adaptive()).Build();
        Assert.Contains("one thread each, as stages are there", told.PlanReason, StringComparison.Ordinal);
        await using Pipeline<long> asked = Define().Build(Plan.Pooled);
        Assert.DoesNotContain("stateless", asked.PlanReason, StringComparison.Ordinal);
    }

    private static IEnumerable<long> Expected() => Enumerable.Range(0, Count).Select(item => item + 1000L);

    // The first ones alone; they take long, so that a batch of the others is worth splitting.
    private static async Task Feed(Pipeline<long> pipeline)
    {
        SingleProducer<long> producer = pipeline.CreateProducer();
        for (long item = 0; item < FirstItems; item++)
        {
            producer.Publish(item);
            producer.ReleaseThread();
            await Pass(() => pipeline.Backlog == 0);
        }

        using (Claim<long> claim = producer.Claim(Count - FirstItems))
        {
            for (int i = 0; i < claim.Count; i++) claim[i] = i + FirstItems;
            claim.Commit();
        }

        Task<DrainResult> drained = pipeline.DrainAsync(Timeout.InfiniteTimeSpan);
        await Pass(() => drained.IsCompleted);
        Assert.True((await drained).IsDrained);

        // Under the manual plan the test is the driver.
        Task Pass(Func<bool> isOver)
        {
            if (pipeline.Plan != Plan.Manual) return Watchdog.UntilAsync(isOver, pipeline.Ring);
            var driver = new ManualDriver(pipeline.Stages, seed: 1);
            return Watchdog.UntilAsync(
                () =>
                {
                    driver.RunUntilIdle();
                    return isOver();
                },
                pipeline.Ring);
        }
    }

    private sealed class Work : IBatchHandler<long>
    {
        private int _inside;

        public Barrier? Met { get; init; }

        public int[] Calls { get; } = new int[Count];

        public void OnBatch(Batch<long> batch)
        {
            if (batch[0] < FirstItems) Thread.Sleep(2);
            else if (Met is not null && Interlocked.Increment(ref _inside) <= 2) Met.SignalAndWait();
            foreach (ref long item in batch)
            {
                Interlocked.Increment(ref Calls[item]);
                item += 1000;
            }
        }
    }

    private sealed class Texts : IMapHandler<long, string>
    {
        public void OnBatch(Batch<long> source, Batch<string> results)
        {
            if (source[0] < FirstItems) Thread.Sleep(2);
            for (int i = 0; i < source.Count; i++) results[i] = $"{source[i]}";
        }
    }
}
