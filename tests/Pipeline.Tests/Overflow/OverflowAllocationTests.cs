using Raceway.Rings;

namespace Raceway.Pipelines.Tests.OverflowOf;

/// <summary>Weights, outcomes and drops cost no allocation a message.</summary>
[Collection(AloneCollection.Name)]
public sealed class OverflowAllocationTests
{
    private const long Count = 100_000;

    public static TheoryData<Plan, string> Runs => Cross.Of(
        [Plan.SharedRing, Plan.Fused], ["weight", "outcome", "async outcome", "keep latest", "conflate", "drop at the producer"]);

    [Theory]
    [MemberData(nameof(Runs))]
    public async Task Messages_DroppedWeighedOrAnsweredFor_AllocateNothing(Plan plan, string what)
    {
        long dropped = 0;
        var sum = new Sum();
        Dispatch weighed = Dispatch.Batch(maxWeight: 50);
        PipelineBuilder<long, long> builder = Pipeline.Of<long>(256).HaltOnDispose();
        builder = what switch
        {
            "weight" => builder.Stage(
                "only", sum, new() { Dispatch = weighed, Weigher = Weigher.By(static (ref readonly long item) => item % 3) }),
            "outcome" => builder.Stage("only", StageKind<long>.Outcomes(new Answering())),
            "async outcome" => builder.Stage("only", new Awaiting()),
            "keep latest" => builder.Stage("only", Overflow.KeepLatest(3, sum, (ref long _) => dropped++)),
            "conflate" => builder.Stage(
                "only", Overflow.ConflateByKey(static (ref readonly long item) => item % 5, sum, (ref long _) => dropped++)),
            _ => builder.Stage("only", sum),
        };
        await using Pipeline<long> pipeline = builder.Run(plan);
        // Once: the list of stages is made anew for whoever asks for it.
        Stage stage = pipeline.Stages[0];
        SingleProducer<long> producer = pipeline.CreateProducer();
        var dropping = new DroppingProducer<long>(producer, (ref readonly long _) => dropped++);
        long next = 0;
        PublishAndWait(Count / 5);

        Allocated.AssertNoneAMessage(Count, () => PublishAndWait(Count));
        // A stage counts a batch just behind it.
        Watchdog.Until(() => pipeline.Only() is var one && one.Items + one.Skipped + dropping.Dropped == next, "the statistics");
        StageStatistics done = pipeline.Only();
        Assert.Equal(next, done.Items + done.Skipped + dropping.Dropped);
        Assert.Equal(dropped, done.Dropped + dropping.Dropped);

        void PublishAndWait(long count)
        {
            for (long end = next + count; next < end; next++)
            {
                if (what == "drop at the producer") dropping.Publish(next);
                else producer.Publish(next);
            }

            Watchdog.Until(() => stage.Lag == 0, "the stage");
        }
    }

    private sealed class Sum : IBatchHandler<long>
    {
        public long Total { get; private set; }

        public void OnBatch(Batch<long> batch)
        {
            foreach (ref long item in batch) Total += item;
        }
    }

    private struct Answering : IOutcomeHandler<long>
    {
        private int _calls;

        public BatchOutcome OnBatch(Batch<long> batch) => (_calls++ % 4) switch
        {
            0 => BatchOutcome.Done,
            1 => BatchOutcome.Consumed(batch.Count / 2 + 1 > batch.Count ? batch.Count : batch.Count / 2 + 1),
            2 => BatchOutcome.RetryFrom(batch.Count - 1),
            _ => BatchOutcome.Skip(batch.Count / 2),
        };
    }

    private sealed class Awaiting : IAsyncOutcomeHandler<long>
    {
        private int _calls;

        public ValueTask<BatchOutcome> OnBatchAsync(AsyncBatch<long> batch, CancellationToken cancellation) =>
            new(_calls++ % 2 == 0 ? BatchOutcome.Done : BatchOutcome.RetryFrom(batch.Count - 1));
    }
}
