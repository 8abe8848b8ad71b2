using Raceway.Rings;

namespace Raceway.Pipelines.Tests.OverflowOf;

/// <summary>The same outcomes under every plan, weight and kind of handler: each item has the fate that its number gives it.</summary>
public sealed class OutcomePlanTests
{
    private const int Count = 3_000;

    public static TheoryData<Plan, string, bool> Runs =>
        Cross.Of(Enum.GetValues<Plan>(), ["class", "struct", "async", "later"], [false, true]);

    private static bool IsSkipped(long item) => item % 11 == 3;

    private static bool IsDead(long item) => item % 13 == 5;

    [Theory]
    [MemberData(nameof(Runs))]
    public async Task Outcomes_AnyPlan_GiveEachItemItsFate(Plan plan, string kind, bool weighed)
    {
        var fates = new Fates();
        var options = new StageOptions
        {
            Dispatch = Dispatch.Batch(max: 50, min: 3, maxAge: TimeSpan.FromMilliseconds(1), maxWeight: weighed ? 20 : null),
            OnFault = FaultPolicy.DeadLetter((ref long item, in FaultContext _) => fates.Dead.Add(item)),
            Weigher = Weigher.By(static (ref readonly long item) => 1 + item % 3),
        };
        var last = new Keeper();
        PipelineBuilder<long, long> builder = Pipeline.Of<long>(256).HaltOnDispose().Stage("first", static (ref long _) => { });
        builder = kind switch
        {
            "class" => builder.Stage("outcome", new Sync(fates), options),
            "struct" => builder.Stage("outcome", StageKind<long>.Outcomes(new Struct(fates)), options),
            _ => builder.Stage("outcome", new Async(fates, later: kind == "later"), options),
        };
        await using Pipeline<long> pipeline = builder.Stage("last", last).Run(plan);
        using Pump? pump = Pump.For(pipeline);
        SingleProducer<long> producer = pipeline.CreateProducer();
        await Task.Run(() =>
        {
            for (long item = 0; item < Count; item++) producer.Publish(item);
        }).OrHang();
        Assert.True((await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang()).IsDrained);

        long[] all = One.Range(0, Count);
        Assert.Equal(all.Where(item => !IsSkipped(item) && !IsDead(item)), fates.Handled);
        Assert.Equal(all.Where(item => IsDead(item) && !IsSkipped(item)), fates.Dead);
        Assert.Equal(all, last.Items);
        StageStatistics done = pipeline["outcome"].GetStatistics();
        Assert.Equal(
            (fates.Handled.Count, Count - fates.Handled.Count, fates.Dead.Count, fates.Retries, 0),
            (done.Items, done.Skipped, done.DeadLettered, done.Retries, done.Faults));
        Assert.Equal(weighed, done.CloseReasons[(int)CloseReason.Weight] > 0);
    }

    /// <summary>What a handler does with an item: once retried, once rested, skipped, dead, or handled.</summary>
    private sealed class Fates
    {
        private long _triedOnce = -1;
        private long _restedOnce = -1;

        public List<long> Handled { get; } = [];

        public List<long> Dead { get; } = [];

        public int Retries { get; private set; }

        public BatchOutcome? Of(long item, int index)
        {
            if (IsSkipped(item)) return BatchOutcome.Skip(index);
            if (IsDead(item)) return BatchOutcome.DeadLetter(index);
            if (item % 17 == 1 && _triedOnce != item)
            {
                _triedOnce = item;
                Retries++;
                return BatchOutcome.RetryFrom(index, item % 2 == 0 ? TimeSpan.Zero : TimeSpan.FromTicks(100));
            }

            if (item % 97 == 2 && _restedOnce != item)
            {
                _restedOnce = item;
                return BatchOutcome.Consumed(index);
            }

            Handled.Add(item);
            return null;
        }
    }

    private static BatchOutcome Handle(Fates fates, Batch<long> batch)
    {
        for (int i = 0; i < batch.Count; i++)
            if (fates.Of(batch[i], i) is { } outcome) return outcome;
        return BatchOutcome.Done;
    }

    private sealed class Sync(Fates fates) : IOutcomeHandler<long>
    {
        public BatchOutcome OnBatch(Batch<long> batch) => Handle(fates, batch);
    }

    private struct Struct(Fates fates) : IOutcomeHandler<long>
    {
        public readonly BatchOutcome OnBatch(Batch<long> batch) => Handle(fates, batch);
    }

    private sealed class Async(Fates fates, bool later) : IAsyncOutcomeHandler<long>
    {
        public async ValueTask<BatchOutcome> OnBatchAsync(AsyncBatch<long> batch, CancellationToken cancellation)
        {
            if (later) await Task.Yield();
            for (int i = 0; i < batch.Count; i++)
                if (fates.Of(batch[i], i) is { } outcome) return outcome;
            return BatchOutcome.Done;
        }
    }
}
