using System.Diagnostics;
using Raceway.Rings;
using Raceway.Testing;

namespace Raceway.Pipelines.Tests.Observing;

/// <summary>Faults planted into pipelines that run: the diagnosis names each in one run, and none where there is none.</summary>
/// <remarks>
/// What the rules make of given figures is shown by <see cref="DiagnosisRulesTests"/> and <see cref="DiagnosisAnswersTests"/>;
/// here that the counters of a pipeline that runs make such figures. A test holds its pipeline in the state that it is about
/// until that has taken nine tenths of the time (<see cref="HoldClock"/>): nothing is left to how the machine runs the threads.
/// </remarks>
[Collection(AloneCollection.Name)]
public sealed class DiagnosisTests
{
    private static readonly FindingKind[] s_faults =
    [
        FindingKind.RingTooSmall, FindingKind.BlockingHandler, FindingKind.BetterUnbatched, FindingKind.BetterBatched,
    ];

    // The ring is full and no stage has looked yet: the producer waits for the stages, and they wait.
    [Theory]
    [InlineData(Plan.SharedRing)]
    [InlineData(Plan.RingPerStage)]
    public async Task RingTooSmall_BothSidesWaitInTurns_IsNamed(Plan plan)
    {
        const int capacity = 8;
        // However long a thread is held up, a batch of two does not hold much of the ring.
        Dispatch few = Dispatch.Batch(max: 2);
        var gate = new GatedWait();
        await using Pipeline<long> pipeline = Pipeline.Of<long>(capacity).Configure(options => options with { Wait = gate }).HaltOnDispose()
            .Stage("first", static (ref long item) => item++, few).Stage("second", static (ref long item) => item++, few).Run(plan);
        using GatedWait opened = gate;
        var clock = new HoldClock();
        PipelineSnapshot before = pipeline.TakeSnapshot();

        Task publishing = await FilledAsync();
        await clock.HoldAsync();
        gate.Open();
        await publishing.OrHang();
        await Watchdog.UntilAsync(() => pipeline.Backlog == 0, "all is handled");
        gate.Close();
        publishing = await FilledAsync();
        await clock.HoldAsync();
        Diagnosis seen = pipeline.Diagnose(before);

        gate.Open();
        await publishing.OrHang();
        Finding found = Assert.Single(seen.Findings, static finding => s_faults.Contains(finding.Kind));
        Assert.Equal((FindingKind.RingTooSmall, 0), (found.Kind, found.Ring));
        Assert.True(found.Remedies is [{ Knob: Knob.Capacity, Capacity: >= 1024 }], found.ToString());

        async Task<Task> FilledAsync()
        {
            // A stage that is not in its wait yet would find the items by itself.
            await Watchdog.UntilAsync(() => gate.Inside == 2, "both stages wait");
            Task twice = Watchdog.Run(() =>
            {
                using SingleProducer<long> producer = pipeline.CreateProducer();
                for (int i = 0; i < 2 * capacity; i++) producer.Publish(i);
            });
            await AreBlockedAsync(pipeline, capacity);
            return twice;
        }
    }

    [Theory]
    [InlineData(Plan.SharedRing, "wait")]
    [InlineData(Plan.Fused, "parse+wait")]
    public async Task BlockingHandler_ACallThatSleeps_IsNamed(Plan plan, string stages)
    {
        using var never = new ManualResetEvent(false);
        Thread? caller = null;
        await using Pipeline<long> pipeline = Pipeline.Of<long>(64).HaltOnDispose()
            .Stage("parse", static (ref long item) => item++)
            .Stage("wait", (ref long _) =>
            {
                Volatile.Write(ref caller, Thread.CurrentThread);
                never.WaitOne();
            })
            .Run(plan);
        try
        {
            SingleProducer<long> producer = pipeline.CreateProducer();
            producer.Publish(1);
            await Watchdog.UntilAsync(
                () => Volatile.Read(ref caller) is { } thread && (thread.ThreadState & System.Threading.ThreadState.WaitSleepJoin) != 0,
                "the handler sleeps");
            var clock = new HoldClock();
            PipelineSnapshot before = pipeline.TakeSnapshot();
            Assert.SkipWhen(before.Stages[^1].Processor is null, "not run: this system keeps no account of threads");

            await clock.HoldAsync();

            Finding found = Assert.Single(pipeline.Diagnose(before).Findings, static finding => s_faults.Contains(finding.Kind));
            Assert.Equal((FindingKind.BlockingHandler, stages), (found.Kind, string.Join('+', found.Stages)));
        }
        finally
        {
            never.Set();
        }
    }

    // Each stage takes the whole ring at a time, works on it for milliseconds, and the other has nothing to do meanwhile.
    [Fact]
    public async Task BetterUnbatched_BatchesOfTheWholeRing_AreNamed()
    {
        const int capacity = 256, laps = 3;
        var gate = new GatedWait();
        await using Pipeline<long> pipeline = Pipeline.Of<long>(capacity).Configure(options => options with { Wait = gate }).HaltOnDispose()
            .Stage("first", static (ref long _) => Work(20), Dispatch.Batch(capacity))
            .Stage("second", new Lap(() =>
            {
                // Before there is room again: the first stage sees no part of the next lap.
                Watchdog.Until(() => gate.Inside == 1, "the first stage waits");
                gate.Close();
            }), Dispatch.Batch(capacity))
            .Run(Plan.SharedRing);
        using GatedWait opened = gate;
        await Watchdog.UntilAsync(() => gate.Inside == 2, "both stages wait");
        PipelineSnapshot before = pipeline.TakeSnapshot();
        var clock = new HoldClock();
        Task publishing = Watchdog.Run(() =>
        {
            using SingleProducer<long> producer = pipeline.CreateProducer();
            for (int i = 0; i < (laps + 2) * capacity; i++) producer.Publish(i);
        });
        for (int lap = 1; lap <= laps; lap++)
        {
            long last = (lap * capacity) - 1;
            await AreBlockedAsync(pipeline, capacity);
            gate.Open();
            await Watchdog.UntilAsync(() => pipeline["second"].Position == last, "a lap");
        }

        await AreBlockedAsync(pipeline, capacity);
        await clock.HoldAsync();
        Diagnosis seen = pipeline.Diagnose(before);

        Assert.Equal(["first", "second"], seen.Findings.Where(static finding => s_faults.Contains(finding.Kind)).SelectMany(static finding => finding.Stages));
        Assert.All(
            seen.Findings.Where(static finding => s_faults.Contains(finding.Kind)),
            static finding => Assert.True(
                finding is { Kind: FindingKind.BetterUnbatched, Remedies: [{ Dispatch.Level: DispatchLevel.Single }] }, finding.ToString()));
        gate.Open();
        await pipeline.HaltAsync().OrHang();
        await Assert.ThrowsAsync<RingStoppedException>(() => publishing.OrHang());
    }

    [Fact]
    public async Task BetterUnbatched_AMinimumThatIsNeverMet_IsNamed()
    {
        TimeSpan age = TimeSpan.FromMilliseconds(10);
        var time = new VirtualTime();
        await using Pipeline<long> pipeline = Pipeline.Of<long>(256).Configure(options => options with { Time = time }).HaltOnDispose()
            .Stage("store", static (ref long _) => { }, Dispatch.Batch(128, min: 64, maxAge: age)).Run(Plan.SharedRing);
        SingleProducer<long> producer = pipeline.CreateProducer();
        PipelineSnapshot before = pipeline.TakeSnapshot();
        var clock = new HoldClock();
        for (int i = 0; i < 5; i++)
        {
            producer.Publish(i);
            // Its age counts from when the stage has seen it, which may be after the time has passed: then it passes again.
            await Watchdog.UntilAsync(
                () =>
                {
                    time.Advance(age);
                    return pipeline.Backlog == 0;
                },
                "an item grows old");
        }

        await clock.HoldAsync();

        Finding found = Assert.Single(pipeline.Diagnose(before).Findings, static finding => s_faults.Contains(finding.Kind));
        Assert.True(found is { Kind: FindingKind.BetterUnbatched, Stages: ["store"], Remedies: [{ Dispatch.Min: 1 }] }, found.ToString());
        Assert.Contains("100 % of its batches were closed by age", found.Evidence, StringComparison.Ordinal);
    }

    [Fact]
    public async Task ChannelIsEnough_FewItems_IsTheAnswer()
    {
        await using Pipeline<long> pipeline = Pipeline.Of<long>(256).HaltOnDispose().Stage("store", static (ref long _) => { }).Run(Plan.SharedRing);

        Diagnosis seen = await IdleAsync(pipeline, items: 30);

        Assert.Contains(seen.Findings, static finding => finding.Kind == FindingKind.ChannelIsEnough);
        Assert.Contains("findings, since the start\n  ", pipeline.Dump(), StringComparison.Ordinal);
    }

    // Producers never wait, and the stages have nothing to do for most of the time.
    [Theory]
    [InlineData(Plan.SharedRing)]
    [InlineData(Plan.Fused)]
    [InlineData(Plan.Pooled)]
    [InlineData(Plan.RingPerStage)]
    public async Task Healthy_AnyPlan_IsSeenWithoutAFault(Plan plan)
    {
        await using Pipeline<long> pipeline = Pipeline.Of<long>(1 << 15).HaltOnDispose()
            .Stage("parse", static (ref long item) => item++).Stage("sum", static (ref long item) => item++).Run(plan);

        Diagnosis seen = await IdleAsync(pipeline, items: 10_000);

        Assert.NotEmpty(seen.Findings);
        Assert.DoesNotContain(seen.Findings, static finding => s_faults.Contains(finding.Kind));
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
        await using Pipeline<long> pipeline = Pipeline.Of<long>(64).HaltOnDispose().Stage("work", static (ref long _) => Work(200))
            .Run(Plan.SharedRing);
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

    /// <summary>What is found of items that come at once, and of the time without any after them.</summary>
    private static async Task<Diagnosis> IdleAsync(Pipeline<long> pipeline, int items)
    {
        PipelineSnapshot before = pipeline.TakeSnapshot();
        var clock = new HoldClock();
        using SingleProducer<long> producer = pipeline.CreateProducer();
        for (int i = 0; i < items; i++) producer.Publish(i);
        await Watchdog.UntilAsync(() => pipeline.Backlog == 0, pipeline.Rings[0]);
        await clock.HoldAsync();
        return pipeline.Diagnose(before);
    }

    /// <summary>The ring is full, all stages are held, and the producer is in its wait for room.</summary>
    private static async Task AreBlockedAsync(Pipeline<long> pipeline, int capacity)
    {
        Ring ring = pipeline.Rings[0];
        await Watchdog.UntilAsync(() => ring.Backlog == capacity, "the ring is full");
        TimeSpan before = ring.GetStatistics().Blocked;
        await Watchdog.UntilAsync(() => ring.GetStatistics().Blocked > before, "the producer waits");
    }

    private static void Work(double microseconds)
    {
        long end = Stopwatch.GetTimestamp() + (long)(microseconds * 1e-6 * Stopwatch.Frequency);
        while (Stopwatch.GetTimestamp() < end)
        {
        }
    }
    private sealed class Lap(Action end) : IBatchHandler<long>
    {
        public void OnBatch(Batch<long> batch)
        {
            Work(20 * batch.Count);
            end();
        }
    }
}
