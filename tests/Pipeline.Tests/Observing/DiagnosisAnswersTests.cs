using Raceway.Rings;
using static Raceway.Pipelines.Tests.Observing.Snapshots;

namespace Raceway.Pipelines.Tests.Observing;

/// <summary>The rest of the rules by figures: wake-ups, processors, when there is nothing to do, and what two snapshots make.</summary>
public sealed class DiagnosisAnswersTests
{
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

    // As runs on two processors were, of which one is a second here: every 8 ms a thousand items at once, which two stages need
    // little of that time for.
    [Theory]
    [InlineData(Plan.SharedRing)]
    [InlineData(Plan.Fused)]
    [InlineData(Plan.Pooled)]
    [InlineData(Plan.RingPerStage)]
    public void Healthy_AsARunOfThePlanWas_NoFaultIsNamed(Plan plan)
    {
        const long items = 125_000;
        StageSnapshot[] stages = plan switch
        {
            Plan.SharedRing =>
            [
                Stage("parse", items, 909, working: 0.008, waking: 0.011, parks: 150, processor: 0.015, ready: 0.104),
                Stage("sum", items, 909, working: 0.006, waking: 0.007, parks: 150, processor: 0.022),
            ],
            Plan.Fused =>
            [
                Stage("parse", items, 833, working: 0.008, waking: 0.009, parks: 125, processor: 0.014, ready: 0.021, driver: "parse"),
                Stage("sum", items, 833, working: 0.008, waking: 0.009, parks: 125, processor: 0.014, ready: 0.021, driver: "parse"),
            ],
            Plan.Pooled =>
            [
                Stage("parse", items, 625, working: 0.001, waking: 0.008, parks: 138, full: 75, wait: Wait.Async()).WithoutAccount(),
                Stage("sum", items, 625, working: 0.001, waking: 0.002, parks: 138, full: 75, wait: Wait.Async()).WithoutAccount(),
            ],
            _ =>
            [
                Stage("parse", items, 588, working: 0.006, waking: 0.005, parks: 138, processor: 0.014, ready: 0.016, feeds: [1]),
                Stage("sum", items, 588, working: 0.001, waking: 0.003, parks: 138, processor: 0.006, ready: 0.014, ring: 1),
            ],
        };
        RingStatistics[] rings = plan == Plan.RingPerStage ? [Ring(32_768), Ring(32_768)] : [Ring(32_768)];

        Assert.Equal(
            [FindingKind.NothingToGain],
            Kinds(Of(rings[0], stages) with { Plan = plan, Processors = 2, Processor = TimeSpan.FromSeconds(0.1), Rings = rings }));
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

        Assert.Matches(@"^ring 0: ring too small\. The producers of .* 50 % .*: capacity 16\. Give .*\(Capacity of ring 0: 16 -> 4096\)\n$", text);
    }
}
