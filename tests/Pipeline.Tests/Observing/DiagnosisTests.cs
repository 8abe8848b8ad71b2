using System.Diagnostics;
using Raceway.Rings;

namespace Raceway.Pipelines.Tests.Observing;

/// <summary>Faults planted into pipelines that run: the diagnosis names them.</summary>
/// <remarks>
/// Other programs may hold a run up, so that it looks otherwise. A planted fault is run until it is
/// named, or has not been in many runs; of the runs without one a third must be free of false alarms. What the rules make of given
/// figures is shown without such doubts, by <see cref="DiagnosisRulesTests"/> and <see cref="DiagnosisAnswersTests"/>; here that the
/// counters of a pipeline that runs make such figures.
/// </remarks>
[Collection(AloneCollection.Name)]
public sealed class DiagnosisTests
{
    private const int HealthyRuns = 21;
    private const int MostRuns = 40;

    private static readonly FindingKind[] s_faults =
    [
        FindingKind.RingTooSmall, FindingKind.BlockingHandler, FindingKind.BetterUnbatched, FindingKind.BetterBatched,
    ];

    [Theory]
    [InlineData(Plan.SharedRing)]
    [InlineData(Plan.RingPerStage)]
    public Task RingTooSmall_Planted_IsNamed(Plan plan) => IsNamed(
        () => Pipeline.Of<long>(8).Stage("first", static (ref long item) => item++).Stage("second", static (ref long item) => item++),
        plan,
        items: 20_000,
        static finding => finding is { Kind: FindingKind.RingTooSmall, Remedies: [{ Knob: Knob.Capacity, Capacity: >= 1024 }] });

    [Theory]
    [InlineData(Plan.SharedRing, "wait")]
    [InlineData(Plan.Fused, "parse+wait")]
    public Task BlockingHandler_Planted_IsNamed(Plan plan, string stages) => IsNamed(
        () =>
        {
            var never = new SemaphoreSlim(0);
            return Pipeline.Of<long>(64).Stage("parse", static (ref long item) => item++)
                .Stage("wait", (ref long _) => never.Wait(TimeSpan.FromMilliseconds(1)));
        },
        plan,
        items: 120,
        finding => finding.Kind == FindingKind.BlockingHandler && string.Join('+', finding.Stages) == stages);

    [Fact]
    public Task BetterUnbatched_BatchesOfTheWholeRing_AreNamed() => IsNamed(
        static () => Pipeline.Of<long>(256)
            .Stage("first", static (ref long _) => Work(20), Dispatch.Batch(256))
            .Stage("second", static (ref long _) => Work(20), Dispatch.Batch(256)),
        Plan.SharedRing,
        items: 4_000,
        static finding => finding is { Kind: FindingKind.BetterUnbatched, Remedies: [{ Dispatch.Level: DispatchLevel.Single }] });

    [Fact]
    public Task BetterUnbatched_AMinimumThatIsNeverMet_IsNamed() => IsNamed(
        static () => Pipeline.Of<long>(256)
            .Stage("store", static (ref long _) => { }, Dispatch.Batch(128, min: 64, maxAge: TimeSpan.FromMilliseconds(10))),
        Plan.SharedRing,
        items: 100,
        static finding => finding is { Kind: FindingKind.BetterUnbatched, Stages: ["store"], Remedies: [{ Dispatch.Min: 1 }] },
        pause: TimeSpan.FromMilliseconds(1));

    [Fact]
    public Task ChannelIsEnough_FewItems_IsTheAnswer() => IsNamed(
        static () => Pipeline.Of<long>(256).Stage("store", static (ref long _) => { }),
        Plan.SharedRing,
        items: 30,
        static finding => finding.Kind == FindingKind.ChannelIsEnough,
        pause: TimeSpan.FromMilliseconds(1));

    // Producers never wait, and no handler: what is counted in a run that nothing disturbs says so.
    [Theory]
    [InlineData(Plan.SharedRing)]
    [InlineData(Plan.Fused)]
    [InlineData(Plan.Pooled)]
    [InlineData(Plan.RingPerStage)]
    public async Task Healthy_AnyPlan_IsSeenWithoutAFault(Plan plan)
    {
        // Other work on the machine is seen as well, and rightly: so a third of the runs is asked for.
        await AreRight(HealthyRuns / 3, HealthyRuns, async () =>
        {
            Diagnosis seen = await RunHealthyAsync(plan);
            Assert.NotEmpty(seen.Findings);
            return (!seen.Findings.Any(static finding => s_faults.Contains(finding.Kind)), seen);
        });
    }

    private static async Task AreRight(int least, int runs, Func<Task<(bool IsRight, Diagnosis Seen)>> run)
    {
        List<Diagnosis> wrong = [];
        for (int right = 0; right < least;)
        {
            (bool isRight, Diagnosis seen) = await run();
            if (isRight) right++;
            else wrong.Add(seen);
            Assert.True(wrong.Count <= runs - least, $"Wrong in {wrong.Count} of {right + wrong.Count} runs; the last one: {seen}");
        }
    }

    private static async Task<Diagnosis> RunHealthyAsync(Plan plan)
    {
        await using Pipeline<long> pipeline = Pipeline.Of<long>(1 << 15).HaltOnDispose()
            .Stage("parse", static (ref long item) => item++).Stage("sum", static (ref long item) => item++).Run(plan);
        PipelineSnapshot before = pipeline.TakeSnapshot();
        SingleProducer<long> producer = pipeline.CreateProducer();
        for (int round = 0; round < 10; round++)
        {
            for (int i = 0; i < 1_000; i++) producer.Publish(i);
            await Task.Delay(5);
        }

        Assert.True((await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang()).IsDrained);
        return pipeline.Diagnose(before);
    }

    [Theory]
    [MemberData(nameof(Cases.Plans), MemberType = typeof(Cases))]
    public async Task Diagnose_InAnyState_NeverFails(Plan plan)
    {
        await using Pipeline<long> pipeline = Pipeline.Of<long>(64).HaltOnDispose()
            .Stage("parse", static (ref long item) => item++).Stage("sum", static (ref long item) => item++).Build(plan);
        Assert.Empty(pipeline.Diagnose().Findings);
        await pipeline.StartAsync().OrHang();
        PipelineSnapshot before = pipeline.TakeSnapshot();
        Assert.Equal(["parse", "sum"], before.Stages.Select(static stage => stage.Done.Name));
        Assert.Equal(pipeline.Rings.Count, before.Rings.Count);
        pipeline.Diagnose(before).ToString();
        await pipeline.HaltAsync().OrHang();
        pipeline.Diagnose(before).ToString();
        Assert.Equal(pipeline.Plan is Plan.Fused ? 1 : 2, pipeline.TakeSnapshot().Stages.Select(static stage => stage.Driver).Distinct().Count());
    }

    [Fact]
    public async Task TakeSnapshot_WhenItHasEnded_KeepsTheThreadsLastFigures()
    {
        await using Pipeline<long> pipeline = Pipeline.Of<long>(64).HaltOnDispose().Stage("work", static (ref long _) => Work(200)).Run();
        SingleProducer<long> producer = pipeline.CreateProducer();
        for (int i = 0; i < 200; i++) producer.Publish(i);
        Assert.True((await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang()).IsDrained);

        StageSnapshot stage = Assert.Single(pipeline.TakeSnapshot().Stages);

        // Where the system accounts for threads: what it did took 40 ms of a processor at least, but for a tick.
        Assert.SkipWhen(stage.Processor is null, "not run to its end: this system keeps no account of threads");
        Assert.True(stage.Processor > TimeSpan.Zero);
        Assert.Equal(stage.Processor, pipeline.TakeSnapshot().Stages[0].Processor);
        Assert.NotNull(stage.Ready);
    }

    [Fact]
    public Task Dump_OfARun_HasTheFindings() => IsNamed(
        static () => Pipeline.Of<long>(256).Stage("store", static (ref long _) => { }),
        Plan.SharedRing,
        items: 30,
        static (pipeline, _) => pipeline.Dump().Contains("findings, since the start\n  ", StringComparison.Ordinal),
        pause: TimeSpan.FromMilliseconds(1));

    private static Task IsNamed(
        Func<PipelineBuilder<long, long>> define, Plan plan, int items, Predicate<Finding> isNamed, TimeSpan pause = default) =>
        IsNamed(define, plan, items, (_, diagnosis) => diagnosis.Findings.Any(finding => isNamed(finding)), pause);

    private static Task IsNamed(
        Func<PipelineBuilder<long, long>> define, Plan plan, int items, Func<Pipeline<long>, Diagnosis, bool> isNamed, TimeSpan pause = default) =>
        AreRight(1, MostRuns, async () =>
        {
            await using Pipeline<long> pipeline = define().HaltOnDispose().Run(plan);
            SingleProducer<long> producer = pipeline.CreateProducer();
            PipelineSnapshot? before = null;
            for (int i = 0; i < items; i++)
            {
                producer.Publish(i);
                if (pause > TimeSpan.Zero) await Task.Delay(pause);
                // What starting takes is none of it.
                if (i == items / 4) before = pipeline.TakeSnapshot();
            }

            Diagnosis seen = pipeline.Diagnose(before);
            return (isNamed(pipeline, seen), seen);
        });

    private static void Work(double microseconds)
    {
        long end = Stopwatch.GetTimestamp() + (long)(microseconds * 1e-6 * Stopwatch.Frequency);
        while (Stopwatch.GetTimestamp() < end)
        {
        }
    }
}
