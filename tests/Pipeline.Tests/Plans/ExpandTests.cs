using Raceway.Rings;

namespace Raceway.Pipelines.Tests.Plans;

/// <summary>One item into none, one, many, or more than the next ring holds: nothing lost, nothing twice.</summary>
public sealed class ExpandTests
{
    public static TheoryData<Plan, int> Runs => Cross.Of(Enum.GetValues<Plan>(), [0, 1, 3, 8, 9, 100]);

    public static TheoryData<Plan> Plans => Cases.Plans;

    [Theory]
    [MemberData(nameof(Runs))]
    public async Task EachItem_MakesItsParts_InOrder(Plan plan, int parts)
    {
        const int Count = 200;
        List<long> seen = [];
        await using Pipeline<long> pipeline = Pipeline.Of<long>(16).HaltOnDispose()
            .Expand<long>("parts", 8, (ref long item, Emitter<long> output) =>
            {
                for (int part = 0; part < parts; part++)
                {
                    Assert.Equal(part, output.Count);
                    output.Emit(item * 1000 + part);
                }
            })
            .Stage("see", (ref long part) => seen.Add(part))
            .Run(plan);

        DrainResult result = await PublishAndDrainAsync(pipeline, Count);

        Assert.True(result.IsDrained, result.ToString());
        Assert.Equal(
            Enumerable.Range(0, Count).SelectMany(item => Enumerable.Range(0, parts).Select(part => item * 1000L + part)), seen);
        Assert.Equal(Count, pipeline["parts"].GetStatistics().Items);
        Assert.Equal("Drained", result.ToString());
    }

    [Theory]
    [MemberData(nameof(Plans))]
    public async Task HandlerThrowsMidway_RetryBeginsTheItemAnew(Plan plan)
    {
        const int Count = 100;
        int failed = 0;
        List<long> seen = [];
        await using Pipeline<long> pipeline = Pipeline.Of<long>(16).HaltOnDispose()
            .Expand<long>(
                "parts", 4, (ref long item, Emitter<long> output) =>
                {
                    // More than the ring holds, so that some are aside when it throws.
                    for (int part = 0; part < 6; part++)
                    {
                        if (part == 5 && item % 10 == 7 && failed++ % 2 == 0) throw new InvalidOperationException("once");
                        output.Next() = item * 10 + part;
                    }
                }, new() { OnFault = FaultPolicy.Retry(1, TimeSpan.Zero) })
            .Stage("see", (ref long part) => seen.Add(part))
            .Run(plan);

        Assert.True((await PublishAndDrainAsync(pipeline, Count)).IsDrained);

        Assert.Equal(Enumerable.Range(0, Count).SelectMany(item => Enumerable.Range(0, 6).Select(part => item * 10L + part)), seen);
        Assert.Equal((20, 10L), (failed, pipeline["parts"].GetStatistics().Retries));
    }

    [Fact]
    public async Task Next_WrittenBehindOthers_IsWhatComesOut()
    {
        List<long> seen = [];
        await using Pipeline<long> pipeline = Pipeline.Of<long>(16).HaltOnDispose()
            .Expand<long>("parts", 2, static (ref long _, Emitter<long> output) =>
            {
                for (int part = 0; part < 2; part++) output.Emit(part);
                ref long total = ref output.Next();
                // More than the room aside had been made for.
                for (int part = 0; part < 200; part++) output.Emit(part);
                total = 202;
            })
            .Stage("see", (ref long part) => seen.Add(part))
            .Run(Plan.SharedRing);

        Assert.True((await PublishAndDrainAsync(pipeline, 2)).IsDrained);

        long[] parts = [0, 1, 202, .. Enumerable.Range(0, 200)];
        Assert.Equal([.. parts, .. parts], seen);
    }

    [Theory]
    [MemberData(nameof(Plans))]
    public async Task ReusedObjects_StayUnique_AlsoThoseAside(Plan plan)
    {
        HashSet<Box> objects = [];
        List<long> seen = [];
        await using Pipeline<long> pipeline = Pipeline.Of<long>(16).HaltOnDispose()
            .Expand<Box>(
                "parts", 4, (ref long item, Emitter<Box> output) =>
                {
                    for (int part = 0; part < 7; part++) output.Next().Value = item * 10 + part;
                }, create: () => new Box())
            .Stage("see", (ref Box part) =>
            {
                objects.Add(part);
                seen.Add(part.Value);
            })
            .Run(plan);

        Assert.True((await PublishAndDrainAsync(pipeline, 300)).IsDrained);

        Assert.Equal(Enumerable.Range(0, 300).SelectMany(item => Enumerable.Range(0, 7).Select(part => item * 10L + part)), seen);
        // Four slots, and sixteen places aside.
        Assert.InRange(objects.Count, 4, 20);
    }

    [Theory]
    [MemberData(nameof(Plans))]
    public async Task SideBranchesOfTheFirstSegment_GoOnBesideIt(Plan plan)
    {
        List<long> parts = [];
        List<long> audited = [];
        List<long> counted = [];
        PipelineBuilder<long, long> source = Pipeline.Of<long>(16).HaltOnDispose().Stage("read", (ref long item) => item++);
        source.Expand<string>("parts", 8, (ref long item, Emitter<string> output) => output.Emit($"{item}"))
            .Stage("see", (ref string part) => parts.Add(long.Parse(part, System.Globalization.CultureInfo.InvariantCulture)))
            .After("parts").Stage("again", (ref string part) => Assert.NotNull(part));
        source.After("read").Stage("audit", (ref long item) => audited.Add(item))
            .After("audit", "parts").Stage("count", (ref long item) => counted.Add(item));
        await using Pipeline<long> pipeline = source.Run(plan);

        Assert.True((await PublishAndDrainAsync(pipeline, 500)).IsDrained);

        Assert.Equal(Enumerable.Range(1, 500).Select(item => (long)item), parts);
        Assert.Equal(parts, audited);
        Assert.Equal(parts, counted);
        Assert.Equal(["read", "parts", "audit", "count", "see", "again"], pipeline.Stages.Select(stage => stage.Name).Order(new Given()));
        Assert.Empty(pipeline["again"].Upstream);
    }

    internal static async Task<DrainResult> PublishAndDrainAsync(Pipeline<long> pipeline, int count)
    {
        using Pump? pump = Pump.For(pipeline);
        SingleProducer<long> producer = pipeline.CreateProducer();
        await Task.Run(() =>
        {
            for (long item = 0; item < count; item++) producer.Publish(item);
        }).OrHang();
        return await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang();
    }

    private sealed class Box
    {
        public long Value;
    }

    // The order of stages that do not follow each other is nobody's concern here.
    private sealed class Given : IComparer<string>
    {
        private static readonly string[] s_order = ["read", "parts", "audit", "count", "see", "again"];

        public int Compare(string? x, string? y) => Array.IndexOf(s_order, x).CompareTo(Array.IndexOf(s_order, y));
    }
}
