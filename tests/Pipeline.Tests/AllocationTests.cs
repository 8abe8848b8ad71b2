using Raceway.Rings;

namespace Raceway.Pipelines.Tests;

/// <summary>Tests that measure, or change, something of the whole process: never beside others.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class AloneCollection
{
    public const string Name = "Alone";
}

/// <summary>A message costs no allocation, under any plan and dispatch.</summary>
[Collection(AloneCollection.Name)]
public sealed class AllocationTests
{
    private const long WarmUp = 50_000;
    private const long Count = 100_000;

    public static TheoryData<Plan, DispatchLevel> Runs =>
        Cross.Of([Plan.SharedRing, Plan.Fused], Enum.GetValues<DispatchLevel>());

    [Theory]
    [MemberData(nameof(Runs))]
    public async Task Messages_ThroughThreeStages_AllocateNothing(Plan plan, DispatchLevel level)
    {
        Dispatch dispatch = level switch
        {
            DispatchLevel.Single => Dispatch.Single,
            DispatchLevel.Each => Dispatch.Each(),
            _ => Dispatch.Batch(),
        };
        var sum = new Sum();
        await using Pipeline<long> pipeline = Pipeline.Of<long>(256).HaltOnDispose()
            .Stage("add", static (ref long item) => item++, dispatch)
            .Stage("double", StageKind<long>.Events(new Double()), dispatch)
            .Stage("sum", sum, dispatch)
            .Run(plan);
        SingleProducer<long> producer = pipeline.CreateProducer();
        long next = 0;
        PublishAndWait(WarmUp);

        Allocated.AssertNoneAMessage(Count, () => PublishAndWait(Count));
        // Every message went all the way: 2 · (item + 1), summed.
        Assert.Equal(next * (next + 1), sum.Total);

        void PublishAndWait(long count)
        {
            for (long end = next + count; next < end; next++) producer.Publish(next);
            long last = next - 1;
            Stage stage = pipeline.Stages[2];
            var spin = new SpinWait();
            while (stage.Position < last) spin.SpinOnce(sleep1Threshold: -1);
        }
    }

    /// <summary>A stateless stage of which several threads share the batches.</summary>
    [Fact]
    public async Task Messages_OfSplitBatches_AllocateNothing()
    {
        // A run takes a fraction of a millisecond: other tests plant what hangs, and looks again each millisecond.
        const int Messages = 512;
        await using Pipeline<long> pipeline = Pipeline.Of<long>(256).HaltOnDispose()
            .Stage(
                "work",
                static (ref long item) =>
                {
                    Thread.SpinWait(20);
                    item++;
                },
                new StageOptions { IsStateless = true, MostThreads = 2 })
            .Stage("last", static (ref long _) => { })
            .Run();
        SingleProducer<long> producer = pipeline.CreateProducer();
        Stage[] stages = [.. pipeline.Stages];
        long next = 0;
        PublishAndWait();

        // A run without a split batch shows nothing.
        bool hasSplit = false;
        for (int i = 0; i < 50 && !hasSplit; i++)
        {
            long before = stages[0].GetStatistics().Split;
            Allocated.AssertFewer(1, PublishAndWait);
            hasSplit = stages[0].GetStatistics().Split > before;
        }

        Assert.True(hasSplit);

        void PublishAndWait()
        {
            for (long end = next + Messages; next < end; next++) producer.Publish(next);
            var spin = new SpinWait();
            while (stages[1].Position < next - 1) spin.SpinOnce(sleep1Threshold: -1);
        }
    }

    /// <summary>Five types in a row: four maps and what they end in.</summary>
    [Theory]
    [InlineData(Plan.SharedRing)]
    [InlineData(Plan.Fused)]
    [InlineData(Plan.RingPerStage)]
    [InlineData(Plan.Pooled)]
    [InlineData(Plan.Auto)]
    [InlineData(Plan.Manual)]
    public async Task Messages_ThatChangeTheirTypeFiveTimes_AllocateNothing(Plan plan)
    {
        await using Pipeline<long> pipeline = Pipeline.Of<long>(256).HaltOnDispose()
            .Map<Wide>("widen", static (ref long item, ref Wide result) => result = new Wide(item, item + 1))
            .Map<Reused>("reuse", static (ref Wide item, ref Reused result) => result.Value = item.A + item.B, create: static () => new Reused())
            .Map<int>("narrow", static (ref Reused item, ref int result) => result = (int)(item.Value & 0xffff))
            .Expand<long>("split", 256, static (ref int item, Emitter<long> output) =>
            {
                if ((item & 2) == 0) output.Emit(item);
                output.Emit(1);
            })
            .Stage("sum", new Sum())
            .Run(plan);
        SingleProducer<long> producer = pipeline.CreateProducer();
        Stage[] stages = [.. pipeline.Stages];
        long next = 0;
        PublishAndWait(WarmUp);

        // Stages that were parted come together again at the end of a run, which makes some seventy objects, however long it was.
        long count = plan == Plan.Auto ? 4 * Count : Count;
        Allocated.AssertNoneAMessage(count, () => PublishAndWait(count));
        Assert.True((await DrainAsync()).IsDrained);
        long expected = 0;
        for (long item = 0; item < next; item++)
        {
            long narrow = (2 * item + 1) & 0xffff;
            expected += ((narrow & 2) == 0 ? narrow : 0) + 1;
        }

        Assert.Equal(expected, pipeline["sum"].GetHandler<Sum>().Total);

        void PublishAndWait(long count)
        {
            for (long end = next + count; next < end;)
            {
                if (producer.TryPublish(next) == ClaimStatus.Done) next++;
                else Turn();
            }

            while (stages[3].Position < next - 1) Turn();
        }

        // By hand where nobody else does, and without a driver, whose shuffling is not what is measured.
        void Turn()
        {
            if (plan != Plan.Manual) Thread.Yield();
            else foreach (Stage stage in stages) stage.Step();
        }

        async Task<DrainResult> DrainAsync()
        {
            using Pump? pump = Pump.For(pipeline);
            return await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang();
        }
    }

    private readonly record struct Wide(long A, long B);

    private sealed class Reused
    {
        public long Value;
    }

    private sealed class Sum : IBatchHandler<long>
    {
        public long Total { get; private set; }

        public void OnBatch(Batch<long> batch)
        {
            foreach (ref long item in batch) Total += item;
        }
    }

    private struct Double : IEventHandler<long>
    {
        public readonly void OnEvent(ref long item, long sequence, bool endOfBatch) => item *= 2;
    }
}
