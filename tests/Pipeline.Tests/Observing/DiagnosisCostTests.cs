using Raceway.Rings;
using static Raceway.Pipelines.Tests.Observing.Snapshots;

namespace Raceway.Pipelines.Tests.Observing;

/// <summary>What is said of larger and smaller batches where several snapshots show what calls take.</summary>
public sealed class DiagnosisCostTests
{
    private static readonly BatchCost s_sync = new(perCall: 400e-6, perStep: 1e-6);

    // A quarter of the time each, with batches of these sizes.
    private static readonly double[] s_varied = [8, 16, 4, 12, 16];

    [Fact]
    public void BetterBatched_EachCallHasAPrice_NamesTheSizeItsGainAndItsPrice()
    {
        Finding found = Only(FindingKind.BetterBatched, Run(s_sync, s_varied, Dispatch.Batch(16)));

        Assert.Contains("By what its calls took, a batch of 11 has 3 % of what batching can give here, at +10 µs.", found.Evidence, StringComparison.Ordinal);
        Remedy remedy = found.Remedies[0];
        Assert.Equal((Knob.Dispatch, 4_096), (remedy.Knob, remedy.Dispatch!.Max));
        Assert.Equal(
            "Raise the limit of its batches: a batch of 4,096 has 91 % of what batching can give here, at +4.1 ms, 34 times the items a second of those of 11.",
            remedy.Sentence);
    }

    // Nobody sees what a call costs where all are alike: then a call of half a millisecond is a slow stage.
    [Theory]
    [InlineData(new double[] { 16, 16, 16, 16, 16 })]
    [InlineData(new double[] { 12, 16, 13, 14, 15 })]
    public void BetterBatched_SizesHardlyVary_SaysNothing(double[] sizes)
    {
        IReadOnlyList<Finding> found = Run(s_sync, sizes, Dispatch.Batch(16));

        Assert.DoesNotContain(found, static one => one.Kind == FindingKind.BetterBatched);
        Assert.DoesNotContain(found, static one => one.Evidence.Contains("its calls took", StringComparison.Ordinal));
    }

    // Four are enough to find it, and none is left to judge it by.
    [Fact]
    public void BetterBatched_TooFewParts_SaysNothing() => Assert.DoesNotContain(
        Run(s_sync, [8, 16, 4], Dispatch.Batch(16)), static one => one.Kind == FindingKind.BetterBatched);

    [Fact]
    public void BetterBatched_BatchesAreLargeEnough_IsTheBottleneck_AndSaysWhy()
    {
        Finding found = Only(FindingKind.Bottleneck, Run(new BatchCost(100e-6, 10e-6), [256, 128, 64, 512, 512], Dispatch.Batch(512)));

        Assert.Contains("a batch of 167 has 94 % of what batching can give here", found.Evidence, StringComparison.Ordinal);
    }

    [Fact]
    public void BetterBatched_ItsCostDoesNotFit_SaysSo()
    {
        Finding found = Only(
            FindingKind.Bottleneck, Run([.. s_varied.Select(static (size, n) => new BatchTime(size, n % 2 == 0 ? 1e-3 : 50e-6))], Dispatch.Batch(16)));

        Assert.Contains("What its calls took by their batch does not fit: a + b·⌈n/w⌉ is off by", found.Evidence, StringComparison.Ordinal);
    }

    [Fact]
    public void BetterBatched_WidthOfTheHandler_IsWhatItIsFoundBy()
    {
        var lanes = new BatchCost(1e-6, 800e-9, 8);
        double[] sizes = [1, 4, 8, 16, 12, 16];

        Assert.Contains(
            "has 9", Only(FindingKind.BetterBatched, Run(lanes, sizes, Dispatch.Batch(16), width: 8)).Remedies[0].Sentence, StringComparison.Ordinal);
        Assert.Contains(
            Run(lanes, sizes, Dispatch.Batch(16)), static one => one.Evidence.Contains("does not fit", StringComparison.Ordinal));
    }

    [Fact]
    public void BetterUnbatched_BatchesOfMostOfTheRing_NamesWhatSmallerOnesGive()
    {
        // A price of a call that ten items outweigh.
        Finding found = Only(
            FindingKind.BetterUnbatched, Run(new BatchCost(10e-6, 10e-6), [800, 900, 300, 700, 900], Dispatch.Batch(1_024), capacity: 1_024, working: 0.5));

        Remedy remedy = Assert.Single(found.Remedies);
        Assert.Equal(32, remedy.Dispatch!.Max);
        Assert.Equal("Limit its batches to 32: a batch of 32 has 97 % of what batching can give here, at +310 µs.", remedy.Sentence);
    }

    // Of a sync of a millisecond nothing is won by calling it more often: the ring is too small for it.
    [Fact]
    public void BetterUnbatched_SmallerBatchesWouldLose_IsARingTooSmall()
    {
        IReadOnlyList<Finding> found = Run(new BatchCost(1e-3, 1e-6), [800, 900, 300, 700, 900], Dispatch.Batch(1_024), capacity: 1_024, working: 0.5);

        Assert.DoesNotContain(found, static one => one.Kind == FindingKind.BetterUnbatched);
        Assert.Contains(found, static one => one.Kind == FindingKind.RingTooSmall);
    }

    [Fact]
    public void BetterUnbatched_MinimumThatIsNotNeeded_KnowsWhatOneByOneTakes()
    {
        Dispatch dispatch = Dispatch.Batch(256, min: 64);
        var cost = new BatchCost(10e-6, 90e-6);
        double[] sizes = [64, 200, 128, 64, 100];

        // By the time of a whole batch, one by one would take a hundred times the time that there is.
        Assert.DoesNotContain(Run(cost, [64, 64, 64, 64], dispatch, working: 0.6), static one => one.Kind == FindingKind.BetterUnbatched);
        Finding found = Only(FindingKind.BetterUnbatched, Run(cost, sizes, dispatch, working: 0.6));
        Assert.Contains("One by one, it would work 67 % of the time at the most.", found.Evidence, StringComparison.Ordinal);
        Assert.Contains("By what its calls took, a batch of 93 has 100 % of what batching can give here, at +8.3 ms.", found.Evidence, StringComparison.Ordinal);
    }

    // A disk makes its stage wait in the handler: larger batches come before more workers.
    [Fact]
    public void BlockingHandler_EachCallHasAPrice_AdvisesLargerBatchesFirst()
    {
        Finding found = Only(FindingKind.BlockingHandler, Run(s_sync, s_varied, Dispatch.Batch(16), processor: 0.05));

        Assert.Equal([Knob.Dispatch, Knob.Workers], found.Remedies.Select(static one => one.Knob));
        Assert.Equal(4_096, found.Remedies[0].Dispatch!.Max);
    }

    [Fact]
    public void Across_TwoSnapshots_IsWhatIsBetweenThem()
    {
        PipelineSnapshot after = Of(Ring(16, blocked: 0.5), Stage("hash", 2_000_000, 9, working: 0.3));

        Assert.Equal(Diagnosis.Between(Start, after).ToString(), Diagnosis.Across([Start, after]).ToString());
    }

    [Fact]
    public void Across_FewerThanTwoOrNotInOrder_IsRefused()
    {
        PipelineSnapshot later = Start with { At = TimeSpan.FromSeconds(1) };

        Assert.Throws<ArgumentNullException>(static () => Diagnosis.Across(null!));
        Assert.Throws<ArgumentNullException>(() => Diagnosis.Across([Start, null!, later]));
        Assert.Contains("snapshots=1", Assert.Throws<ArgumentException>(static () => Diagnosis.Across([Start])).Message, StringComparison.Ordinal);
        Assert.Contains("Swap them", Assert.Throws<ArgumentException>(() => Diagnosis.Across([Start, later, Start])).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Across_PipelineThatRuns_ReadsTheWidthOfItsHandler()
    {
        Pipeline<long> pipeline = Pipeline.Of<long>(64).Stage("wide", new Wide()).Build(Plan.Manual);

        Assert.Equal(4, pipeline.TakeSnapshot().Stages[0].Done.Width);
    }

    // Since the start; each part is as long as the others.
    private static IReadOnlyList<Finding> Run(
        BatchCost cost, double[] sizes, Dispatch dispatch, int capacity = 65_536, double working = 0.95, int width = 1, double? processor = null) =>
        Run([.. sizes.Select(size => new BatchTime(size, cost.SecondsOf(size)))], dispatch, capacity, working, width, processor);

    private static IReadOnlyList<Finding> Run(
        BatchTime[] calls, Dispatch dispatch, int capacity = 65_536, double working = 0.95, int width = 1, double? processor = null)
    {
        List<PipelineSnapshot> snapshots = [Start];
        (long items, long batches, double worked) = (0, 0, 0);
        foreach (BatchTime call in calls)
        {
            // About a second in all, of whole calls.
            long more = (long)Math.Ceiling(working / calls.Length / call.Seconds);
            (items, batches, worked) = (items + (long)(more * call.Items), batches + more, worked + (more * call.Seconds));
            double at = worked / working;
            StageSnapshot stage = Stage("store", 1, 1, working: worked, dispatch: dispatch, processor: (processor ?? working) * at);
            PipelineSnapshot whole = Of(Ring(capacity, blocked: 0.5 * at), stage with
            {
                Done = stage.Done with
                {
                    Items = items, Batches = batches, Width = width, CloseReasons = [0, batches, 0, 0, 0, 0], Starved = TimeSpan.FromSeconds(at - worked),
                },
            });
            snapshots.Add(whole with { At = TimeSpan.FromSeconds(at), Processor = TimeSpan.FromSeconds(2 * at) });
        }

        return Diagnosis.Across(snapshots).Findings;
    }

    private static Finding Only(FindingKind kind, IReadOnlyList<Finding> found)
    {
        Assert.True(found.Any(one => one.Kind == kind), string.Join('\n', found));
        return found.Single(one => one.Kind == kind);
    }

    private sealed class Wide : IBatchHandler<long>, IWideHandler
    {
        public int Width => 4;

        public void OnBatch(Batch<long> batch)
        {
        }
    }
}
