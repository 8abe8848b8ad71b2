using Raceway.Rings;
using static Raceway.Pipelines.Tests.Observing.Snapshots;

namespace Raceway.Pipelines.Tests.Observing;

/// <summary>Each rule of the diagnosis by figures: where it speaks, what it advises, and where it is silent.</summary>
public sealed class DiagnosisRulesTests
{
    // What is found of a second that ended so.
    private static IReadOnlyList<Finding> Find(PipelineSnapshot after) => Diagnosis.Between(Start, after).Findings;

    private static FindingKind[] Kinds(PipelineSnapshot after) => [.. Find(after).Select(static finding => finding.Kind)];

    [Fact]
    public void RingTooSmall_BothSidesWaitInTurns_AdvisesALargerRing()
    {
        Finding found = Find(Of(Ring(16, blocked: 0.5), Stage("hash", 2_000_000, 9, working: 0.3)))[0];

        Assert.Equal(FindingKind.RingTooSmall, found.Kind);
        Assert.Equal(0, found.Ring);
        Assert.Equal(0.5, found.Share, 3);
        Assert.Contains("'hash'", found.Evidence, StringComparison.Ordinal);
        Assert.Contains("50 %", found.Evidence, StringComparison.Ordinal);
        Assert.Contains("70 %", found.Evidence, StringComparison.Ordinal);
        Remedy remedy = Assert.Single(found.Remedies);
        Assert.Equal(Knob.Capacity, remedy.Knob);
        Assert.Equal("16", remedy.From);
        // Two milliseconds of two million a second.
        Assert.Equal(4096, remedy.Capacity);
        Assert.Equal("4096", remedy.To);
    }

    [Fact]
    public void RingTooSmall_TheRingBehindAnExpansion_IsNamedByItsPlace()
    {
        PipelineSnapshot after = Of(
            Ring(), Stage("split", 1_000, 100, working: 0.4, blocked: 0.5, feeds: [1]), Stage("store", 1_000_000, 8, working: 0.4, ring: 1));

        Finding found = Find(after with { Rings = [Ring(), Ring(16)] })[0];

        Assert.Equal((FindingKind.RingTooSmall, 1), (found.Kind, found.Ring));
    }

    [Theory]
    [InlineData(0.05, 0.3)] // producers hardly wait: they are the slow side
    [InlineData(0.5, 0.9)] // the stage is the slow side
    public void RingTooSmall_OneSideIsSlow_IsSilent(double blocked, double working) =>
        Assert.DoesNotContain(FindingKind.RingTooSmall, Kinds(Of(Ring(16, blocked), Stage("hash", 20_000, 9, working))));

    [Fact]
    public void RingTooSmall_TheStageHasNoProcessor_IsSilent() => Assert.DoesNotContain(
        FindingKind.RingTooSmall,
        Kinds(Of(Ring(16, 0.5), Stage("hash", 2_000_000, 9, working: 0.3, wait: Wait.BusySpin(), processor: 0.4, ready: 0.6))));

    // The stage is the slow side, for want of batches.
    [Fact]
    public void RingTooSmall_BatchesAreWhatItHolds_AdvisesALargerRing()
    {
        Finding found = Find(Of(Ring(16, blocked: 0.3), Stage("sum", 5_000_000, 8, working: 0.9)))[0];

        Assert.Equal((FindingKind.RingTooSmall, 16_384), (found.Kind, found.Remedies[0].Capacity));
        Assert.Contains("1.4 µs of work", found.Evidence, StringComparison.Ordinal);
    }

    [Fact]
    public void BetterUnbatched_DearBatchesOfMostOfTheRing_AdvisesSmallerOnes()
    {
        PipelineSnapshot after = Of(
            Ring(1024, blocked: 0.5),
            Stage("a", 50_000, 800, working: 0.5, dispatch: Dispatch.Batch(1024)),
            Stage("b", 50_000, 800, working: 0.4));

        Finding found = Find(after)[0];

        Assert.Equal(FindingKind.BetterUnbatched, found.Kind);
        Assert.Equal(["a"], found.Stages);
        Remedy remedy = Assert.Single(found.Remedies);
        // 10 µs an item: a batch of two is work enough.
        Assert.Equal((Knob.Dispatch, "a", "batch max 1024", 2), (remedy.Knob, remedy.Stage, remedy.From, remedy.Dispatch!.Max));
    }

    [Fact]
    public void BetterUnbatched_ItemsDearerThanAHandOver_AdvisesSingle()
    {
        Finding found = Find(Of(Ring(64, blocked: 0.5), Stage("a", 10_000, 60, working: 0.5)))[0];

        Assert.Equal(FindingKind.BetterUnbatched, found.Kind);
        Assert.Equal(Dispatch.Single, Assert.Single(found.Remedies).Dispatch);
    }

    [Fact]
    public void BetterUnbatched_MinimumThatIsNotNeeded_AdvisesNone()
    {
        Dispatch dispatch = Dispatch.Batch(256, min: 64, maxAge: TimeSpan.FromMilliseconds(10));
        Finding found = Find(Of(Ring(), Stage("store", 1_000, 10, working: 0.01, aged: 95, dispatch: dispatch)))
            .First(finding => finding.Kind == FindingKind.BetterUnbatched);

        Assert.Equal(["store"], found.Stages);
        Assert.Contains("up to 10 ms", found.Evidence, StringComparison.Ordinal);
        Assert.Contains("95 %", found.Evidence, StringComparison.Ordinal);
        Dispatch to = Assert.Single(found.Remedies).Dispatch!;
        Assert.Equal((1, 256, Timeout.InfiniteTimeSpan), (to.Min, to.Max, to.MaxAge));
    }

    // A batch takes 5 ms: one by one, the stage would work five seconds a second.
    [Fact]
    public void BetterUnbatched_MinimumThatSavesWork_IsSilent() => Assert.DoesNotContain(
        FindingKind.BetterUnbatched, Kinds(Of(Ring(), Stage("store", 1_000, 64, working: 0.08, dispatch: Dispatch.Batch(256, min: 64)))));

    [Fact]
    public void BlockingHandler_WorkWithoutAProcessor_AdvisesWorkers()
    {
        Finding found = Find(Of(
            Ring(blocked: 0.9), Stage("parse", 1_000, 4, working: 0.02), Stage("store", 1_000, 40, working: 0.95, processor: 0.05)))[0];

        Assert.Equal(FindingKind.BlockingHandler, found.Kind);
        Assert.Equal(["store"], found.Stages);
        Assert.Contains("95 %", found.Evidence, StringComparison.Ordinal);
        Remedy remedy = Assert.Single(found.Remedies);
        Assert.Equal((Knob.Workers, "store", "1", 16), (remedy.Knob, remedy.Stage, remedy.From, remedy.Workers));
    }

    [Fact]
    public void BlockingHandler_CalledOneByOne_AdvisesBatchesFirst()
    {
        Finding found = Find(Of(Ring(blocked: 0.9), Stage("store", 1_000, 40, working: 0.95, processor: 0.05, dispatch: Dispatch.Single)))[0];

        Assert.Equal([Knob.Dispatch, Knob.Workers], found.Remedies.Select(static remedy => remedy.Knob));
        Assert.Equal(DispatchLevel.Batch, found.Remedies[0].Dispatch!.Level);
    }

    [Fact]
    public void BlockingHandler_StagesOfOneThread_AdvisesAThreadEach()
    {
        Finding found = Find(Of(
            Ring(blocked: 0.9),
            Stage("parse", 1_000, 40, working: 0.95, processor: 0.05, driver: "parse"),
            Stage("store", 1_000, 40, working: 0.95, processor: 0.05, driver: "parse")) with { Plan = Plan.Fused })[0];

        Assert.Equal(["parse", "store"], found.Stages);
        Assert.Equal((Plan.SharedRing, "Fused"), (found.Remedies[0].Plan, found.Remedies[0].From));
    }

    // A thread that polls uses its processor while it waits.
    [Fact]
    public void BlockingHandler_OfAStageThatSpins_IsSeenAllTheSame() => Assert.Contains(
        FindingKind.BlockingHandler,
        Kinds(Of(Ring(), Stage("store", 1_000, 1, working: 0.6, processor: 0.45, wait: Wait.BusySpin()))));

    [Theory]
    [InlineData(0.95, 0.9, 0.0)] // it computes
    [InlineData(0.95, 0.3, 0.6)] // it waits for a processor
    [InlineData(0.3, 0.01, 0.0)] // it has time for it
    public void BlockingHandler_OtherReasons_IsSilent(double working, double processor, double ready) => Assert.DoesNotContain(
        FindingKind.BlockingHandler, Kinds(Of(Ring(), Stage("store", 1_000, 1, working, processor: processor, ready: ready))));

    [Fact]
    public void BlockingHandler_GarbageCollections_AreNotTakenForIt() => Assert.DoesNotContain(
        FindingKind.BlockingHandler,
        Kinds(Of(Ring(), Stage("store", 1_000, 1, working: 0.9, processor: 0.5)) with { Paused = TimeSpan.FromSeconds(0.4) }));

    [Theory]
    [InlineData(0.3, true)]
    [InlineData(3.8, false)] // others of the process use the processors: it may have waited for one
    public void BlockingHandler_NoAccountOfThreads_IsToldByTheProcessAndTheNeighbours(double used, bool isFound)
    {
        PipelineSnapshot after = Of(
            Ring(blocked: 0.9),
            Stage("parse", 1_000, 4, working: 0.02).WithoutAccount(), Stage("store", 1_000, 40, working: 0.95).WithoutAccount());

        IReadOnlyList<Finding> found = Find(after with { Processor = TimeSpan.FromSeconds(used) });

        Assert.Equal(isFound, found.Any(static finding => finding is { Kind: FindingKind.BlockingHandler, Stages: ["store"] }));
    }

    [Fact]
    public void BetterBatched_CheapItemsOneByOne_AdvisesBatches()
    {
        Finding found = Find(Of(Ring(blocked: 0.6), Stage("sum", 20_000_000, 100, working: 0.98, dispatch: Dispatch.Single)))[0];

        Assert.Equal((FindingKind.BetterBatched, DispatchLevel.Batch), (found.Kind, found.Remedies[0].Dispatch!.Level));
    }

    [Fact]
    public void BetterBatched_TheLimitCutsSmallOnes_AdvisesAHigherLimit()
    {
        Finding found = Find(Of(
            Ring(blocked: 0.6), Stage("sum", 20_000_000, 8, working: 0.98, full: 2_400_000, dispatch: Dispatch.Batch(8))))[0];

        Assert.Equal(FindingKind.BetterBatched, found.Kind);
        Assert.InRange(found.Remedies[0].Dispatch!.Max, 64, Dispatch.DefaultMax);
    }

    [Fact]
    public void Bottleneck_ProcessorsAreIdle_AdvisesAnotherWorker()
    {
        Finding found = Find(Of(
            Ring(blocked: 0.7),
            Stage("hash/0", 100_000, 90, working: 0.97), Stage("hash/1", 100_000, 90, working: 0.96), Stage("sum", 200_000, 90, working: 0.1)))[0];

        Assert.Equal((FindingKind.Bottleneck, "hash/0"), (found.Kind, found.Stages[0]));
        Assert.Equal(("hash", "2", 3), (found.Remedies[0].Stage, found.Remedies[0].From, found.Remedies[0].Workers));
    }

    [Fact]
    public void Bottleneck_NoProcessorIsIdle_SaysSoAndThatNothingIsToGain()
    {
        PipelineSnapshot after = Of(Ring(blocked: 0.7), Stage("hash", 1_000_000, 90, working: 0.97)) with { Processors = 2 };

        Assert.Equal([FindingKind.Bottleneck, FindingKind.NothingToGain], Kinds(after));
        Assert.All(Find(after), static finding => Assert.Empty(finding.Remedies));
    }

    [Fact]
    public void Bottleneck_StagesOfOneThread_AdvisesAThreadEach()
    {
        PipelineSnapshot after = Of(
            Ring(blocked: 0.7),
            Stage("parse", 1_000_000, 90, working: 0.97, driver: "parse"), Stage("hash", 1_000_000, 90, working: 0.97, driver: "parse"));

        Assert.Equal(Plan.SharedRing, Find(after with { Plan = Plan.Fused })[0].Remedies[0].Plan);
    }

    [Fact]
    public void WakeUpsDear_ASleepAnItem_AdvisesToPoll()
    {
        Finding found = Find(Of(Ring(), Stage("sum", 60_000, 1, working: 0.05, waking: 0.4, parks: 40_000)))[0];

        Assert.Equal(FindingKind.WakeUpsDear, found.Kind);
        Assert.Contains("10 µs", found.Evidence, StringComparison.Ordinal);
        Assert.Equal("adaptive", found.Remedies[0].Wait!.Name);
    }

    [Fact]
    public void WakeUpsDear_MoreThreadsThanProcessors_AdvisesOneThread()
    {
        PipelineSnapshot after = Of(
            Ring(), Stage("parse", 60_000, 1, working: 0.05, waking: 0.4, parks: 40_000), Stage("sum", 60_000, 1, working: 0.05));

        Assert.Equal(Plan.Fused, Find(after with { Processors = 2 })[0].Remedies[0].Plan);
    }

    [Fact]
    public void WakeUpsDear_OfProducers_AdvisesThatTheyPoll()
    {
        Finding found = Find(Of(
            Ring(blocked: 0.7, waking: 0.3, parks: 30_000), Stage("hash", 1_000_000, 90, working: 0.97))).First(static finding => finding.Kind == FindingKind.WakeUpsDear);

        Assert.Equal((Knob.ProducerWait, 0), (found.Remedies[0].Knob, found.Remedies[0].Ring));
    }

    [Fact]
    public void Oversubscribed_ThreadsAreReadyAndDoNotRun_AdvisesFewer()
    {
        PipelineSnapshot after = Of(
            Ring(),
            Stage("parse", 1_000_000, 90, working: 0.9, processor: 0.5, ready: 0.4),
            Stage("sum", 1_000_000, 90, working: 0.2, wait: Wait.BusySpin(), processor: 0.6, ready: 0.4));

        Finding found = Find(after with { Processors = 2 })[0];

        Assert.Equal(FindingKind.Oversubscribed, found.Kind);
        Assert.Equal([Knob.Wait, Knob.Plan], found.Remedies.Select(static remedy => remedy.Knob));
        Assert.Equal(("sum", "busy-spin", "park"), (found.Remedies[0].Stage, found.Remedies[0].From, found.Remedies[0].To));
    }

    [Fact]
    public void Oversubscribed_OthersHaveTheProcessors_SaysSoAndAdvisesNothing()
    {
        PipelineSnapshot after = Of(Ring(), Stage("sum", 1_000_000, 90, working: 0.9, processor: 0.5, ready: 0.4)) with { Processor = TimeSpan.FromSeconds(0.5) };

        Finding found = Find(after)[0];

        Assert.Equal(FindingKind.Oversubscribed, found.Kind);
        Assert.Contains("taken by others", found.Evidence, StringComparison.Ordinal);
        Assert.Empty(found.Remedies);
    }

    [Fact]
    public void Oversubscribed_NoAccountOfThreads_IsToldByHowManyWantToRun()
    {
        StageSnapshot[] stages = [.. Enumerable.Range(0, 4).Select(n => Stage($"s{n}", 1_000_000, 90, 0.3, wait: Wait.BusySpin()).WithoutAccount())];

        Assert.Contains(FindingKind.Oversubscribed, Kinds(Of(Ring(), stages) with { Processors = 2 }));
        Assert.DoesNotContain(FindingKind.Oversubscribed, Kinds(Of(Ring(), stages) with { Processors = 8 }));
    }

    [Theory]
    [InlineData(8_000, 0.02)] // items are seldom
    [InlineData(900, 0.95)] // items are dear
    public void ChannelIsEnough_HandingOverIsNoMatter_IsTheAnswer(long items, double working) =>
        Assert.Equal([FindingKind.ChannelIsEnough], Kinds(Of(Ring(), Stage("store", items, 1, working))));

    [Fact]
    public void ChannelIsEnough_SlowForAFault_IsNotTheAnswer() => Assert.DoesNotContain(
        FindingKind.ChannelIsEnough, Kinds(Of(Ring(blocked: 0.9), Stage("store", 1_000, 40, working: 0.95, processor: 0.05))));

    [Fact]
    public void Healthy_StagesKeepUpInBatches_NothingToGain()
    {
        PipelineSnapshot after = Of(
            Ring(blocked: 0.02), Stage("parse", 4_000_000, 60, working: 0.5), Stage("hash", 4_000_000, 80, working: 0.7), Stage("sum", 4_000_000, 90, working: 0.2));

        Assert.Equal([FindingKind.NothingToGain], Kinds(after));
    }

    [Fact]
    public void Between_TwoSnapshots_LooksAtWhatCameBetweenThem()
    {
        // The first second was bad, the next one is idle.
        PipelineSnapshot bad = Of(Ring(16, blocked: 0.5), Stage("hash", 2_000_000, 9, working: 0.3));
        StageSnapshot later = bad.Stages[0] with { Done = bad.Stages[0].Done with { Starved = bad.Stages[0].Done.Starved + TimeSpan.FromSeconds(1) } };

        Diagnosis nothing = Diagnosis.Between(bad, bad with { At = TimeSpan.FromSeconds(2), Stages = [later] });

        Assert.Empty(nothing.Findings);
        Assert.Equal(1, nothing.Interval.TotalSeconds, 6);
        Assert.NotEmpty(Diagnosis.Between(null, bad).Findings);
    }

    [Fact]
    public void Between_LittleTime_FindsNothing()
    {
        PipelineSnapshot bad = Of(Ring(16, blocked: 0.5), Stage("hash", 2_000_000, 9, working: 0.3));
        PipelineSnapshot soon = bad with { At = bad.At + TimeSpan.FromMilliseconds(1), Stages = [Stage("hash", 2_000_100, 9, working: 0.301)] };
        Assert.Empty(Diagnosis.Between(bad, soon with { Rings = [Ring(16, blocked: 0.501)] }).Findings);
    }

    [Fact]
    public void Between_InTheWrongOrder_IsRefused()
    {
        ArgumentException error = Assert.Throws<ArgumentException>(() => Diagnosis.Between(Of(Ring()), Start));
        Assert.Contains("Swap them", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Between_NoSnapshot_IsRefused() => Assert.Throws<ArgumentNullException>(() => Diagnosis.Between(Start, null!));

    [Fact]
    public void ToString_AFinding_IsALineWithEvidenceAndAdvice()
    {
        string text = Diagnosis.Between(Start, Of(Ring(16, blocked: 0.5), Stage("hash", 2_000_000, 9, working: 0.3))).ToString();

        Assert.Matches(@"^ring 0: ring too small\. Those who publish .* 50 % .*: capacity 16\. Give .*\(Capacity of ring 0: 16 -> 4096\)\n$", text);
    }
}
