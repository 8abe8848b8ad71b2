using Raceway.Rings;
using static Raceway.Pipelines.Tests.Observing.Snapshots;

namespace Raceway.Pipelines.Tests.Observing;

/// <summary>Each rule of the diagnosis by figures: where it speaks, what it advises, and where it is silent.</summary>
public sealed class DiagnosisRulesTests
{
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

    // Four batches and more in a ring go round beside each other.
    [Fact]
    public void BetterUnbatched_DearBatchesOfAQuarterOfTheRing_IsSilent() => Assert.DoesNotContain(
        FindingKind.BetterUnbatched, Kinds(Of(Ring(1024, blocked: 0.5), Stage("a", 50_000, 256, working: 0.5), Stage("b", 50_000, 256, working: 0.4))));

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

    // The rule is reached, since a bottleneck is found, and has nothing larger to advise.
    [Theory]
    [InlineData(null)]
    [InlineData(Dispatch.DefaultMax)]
    public void BetterBatched_TheLargestLimitCutsBatches_IsABottleneckAlone(int? max)
    {
        FindingKind[] kinds = [.. Kinds(Of(
            Ring(65_536, blocked: 0.6), Stage("sum", 500_000_000, 4096, working: 0.98, full: 120_000, dispatch: Dispatch.Batch(max))))];

        Assert.Contains(FindingKind.Bottleneck, kinds);
        Assert.DoesNotContain(FindingKind.BetterBatched, kinds);
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
        Assert.InRange(found.Remedies[0].Dispatch!.Max!.Value, 64, Dispatch.DefaultMax);
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
}
