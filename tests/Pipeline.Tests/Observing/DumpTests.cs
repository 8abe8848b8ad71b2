using Raceway.Rings;

namespace Raceway.Pipelines.Tests;

/// <summary>What a person reads of a pipeline. The texts are the contract: a change is made here as well.</summary>
public sealed class DumpTests
{
    [Fact]
    public void Dump_BeforeTheFirstItem_HasNoSizes()
    {
        Pipeline<long> pipeline = Pipeline.Of<long>(8).Stage("only", static (ref long _) => { }).Build(Plan.SharedRing);

        Assert.Equal(
            """
            SharedRing, Created: capacity 8, backlog 0
              stage  after      dispatch  at  lag  items  batches  mean  drained  full  age  stop  waits  parks  faults  skipped
              only   producers  batch     -1    0      0        0     0        0     0    0     0      0      0       0        0
            batch sizes
              only: none yet

            """,
            pipeline.Dump());
    }

    [Fact]
    public async Task Dump_OfAManualRun_IsExact()
    {
        await using Pipeline<long> pipeline = Define().Run(Plan.Manual);
        SingleProducer<long> producer = pipeline.CreateProducer();
        for (long item = 0; item < 40; item++) producer.Publish(item);
        pipeline["parse"].Step();
        pipeline["left"].Step();
        pipeline["left"].Step();
        // The quantum ends at the item that is skipped, and the next step takes the rest of it.
        pipeline["right"].Step(30);
        pipeline["right"].Step(16);
        pipeline["join"].Step();
        for (int i = 0; i < 3; i++) pipeline["tap"].Step();

        Assert.Equal(
            """
            Manual, Running: capacity 64, backlog 37
              stage  after       dispatch         at  lag  items  batches  mean  drained  full  age  stop  cut  waits  parks  faults  skipped
              parse  producers   single           39    0     40        1    40        1     0    0     0    0      0      0       0        0
              left   parse       batch max 16     31    8     32        2    16        0     2    0     0    0      0      0       0        0
              right  parse       each progress 4  29   10     29        2  14.5        0     0    0     0    2      0      0       1        1
              join   left+right  batch min 8      29   10     30        1    30        1     0    0     0    0      0      0       0        0
              tap    producers   batch max 1       2   37      3        3     1        0     3    0     0    0      0      0       0        0
            batch sizes
              parse: 32-63 ×1
              left: 16-31 ×2
              right: 8-15 ×1, 16-31 ×1
              join: 16-31 ×1
              tap: 1 ×3

            """,
            pipeline.Dump());
        Assert.Equal("Manual Running: parse → left → right → join → tap", pipeline.ToString());
    }

    [Fact]
    public async Task Dump_AfterAFault_SaysWhatAndHowMuchIsLeft()
    {
        await using Pipeline<long> pipeline = Pipeline.Of<long>(8).HaltOnDispose()
            .Stage("a", static (ref long _) => { })
            .Stage("b", static (ref long item) => throw new InvalidOperationException($"no {item}"))
            .Run(Plan.Manual);
        SingleProducer<long> producer = pipeline.CreateProducer();
        for (long item = 7; item < 10; item++) producer.Publish(item);
        pipeline["a"].Step();
        pipeline["b"].Step();
        await Assert.ThrowsAsync<RingFaultedException>(() => pipeline.Completion.OrHang());

        Assert.Equal(
            """
            Manual, Faulted: capacity 8, backlog 3
            unprocessed when it ended: 3
            fault: The ring has faulted in stage 'b': no 7
              stage  after      dispatch  at  lag  items  batches  mean  drained  full  age  stop  waits  parks  faults  skipped
              a      producers  batch      2    0      3        1     3        1     0    0     0      0      0       0        0
              b      a          batch     -1    3      0        0     0        0     0    0     0      0      0       1        0
            batch sizes
              a: 2-3 ×1
              b: none yet

            """,
            pipeline.Dump());
    }

    [Fact]
    public async Task Dump_ProcessorsAskedFor_SaysWhatBecameOfThem()
    {
        await using Pipeline<long> pipeline = Pipeline.Of<long>(8).HaltOnDispose()
            .Stage("free", static (ref long _) => { })
            .Stage("bound", static (ref long _) => { }, new() { Processors = [0, 2] })
            .Run(Plan.Manual);

        Assert.EndsWith(
            """
              free: none yet
              bound: none yet
            processors
              bound: 0,2 unsupported: its caller steps it, on a thread of the caller's

            """,
            pipeline.Dump(),
            StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(Plan.SharedRing)]
    [InlineData(Plan.Fused)]
    public async Task Statistics_OfAnyRun_AddUp(Plan plan)
    {
        const int Count = 5_000;
        await using Pipeline<long> pipeline = Define().Run(plan);
        SingleProducer<long> producer = pipeline.CreateProducer();
        await Task.Run(() =>
        {
            for (long item = 0; item < Count; item++) producer.Publish(item);
        }).OrHang();
        Assert.True((await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang()).IsDrained);

        IReadOnlyList<StageStatistics> statistics = pipeline.GetStatistics();

        Assert.Equal(pipeline.Stages.Select(stage => stage.Name), statistics.Select(done => done.Name));
        Assert.All(statistics, done =>
        {
            Assert.Equal(Count, done.Items + done.Skipped);
            Assert.Equal(done.Name == "right" ? 1 : 0, done.Skipped);
            Assert.Equal(0, done.Lag);
            Assert.Equal(done.Batches, done.CloseReasons.Sum());
            Assert.Equal(done.Batches, done.BatchSizes.Sum());
            // Entry n has batches of 2ⁿ to 2ⁿ⁺¹ − 1 items: that bounds the items from both sides.
            Assert.InRange(
                done.Items,
                done.BatchSizes.Select((count, n) => count << n).Sum(),
                done.BatchSizes.Select((count, n) => count * ((2L << n) - 1)).Sum());
            Assert.Equal((double)done.Items / done.Batches, done.MeanBatch);
            Assert.InRange(done.Parks, 0, done.Waits);
        });
        Assert.Equal(Count, pipeline["tap"].GetStatistics().BatchSizes[0]);
    }

    private static PipelineBuilder<long, long> Define() => Pipeline.Of<long>(64).HaltOnDispose()
        .Stage("parse", static (ref long _) => { }, Dispatch.Single)
        .Stage("left", static (ref long _) => { }, Dispatch.Batch(max: 16))
        .After("parse").Stage(
            "right", static (ref long item) =>
            {
                if (item == 13) throw new InvalidOperationException("13");
            }, new() { Dispatch = Dispatch.Each(progressInterval: 4), OnFault = FaultPolicy.Skip })
        .After("left", "right").Stage("join", static (ref long _) => { }, Dispatch.Batch(min: 8))
        .After().Stage("tap", static (ref long _) => { }, Dispatch.Batch(max: 1));
}
