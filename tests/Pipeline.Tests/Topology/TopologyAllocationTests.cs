using Raceway.Rings;

namespace Raceway.Pipelines.Tests;

/// <summary>An item costs no allocation on any edge, whoever drives it.</summary>
[Collection(AloneCollection.Name)]
public sealed class TopologyAllocationTests
{
    private const long WarmUp = 60_000;
    private const long Count = 100_000;

    public static TheoryData<string, Plan> Runs => Cross.Of(
        ["filter", "share", "lanes", "keys", "async", "expand"], [Plan.SharedRing, Plan.Fused]);

    [Theory]
    [MemberData(nameof(Runs))]
    public async Task Items_OnAnEdge_AllocateNothing(string topology, Plan plan)
    {
        long handled = 0;
        PipelineBuilder<Routed, Routed> builder = Pipeline.Of<Routed>(256).HaltOnDispose();
        KeySelector<Routed, long> key = static (ref readonly Routed item) => item.Id % 1000;
        SlotAction<Routed> count = (ref Routed item) => Interlocked.Increment(ref handled);
        _ = topology switch
        {
            "filter" => builder.Filter("even", static (ref readonly Routed item) => item.Id % 2 >= 0).Stage("count", count),
            "share" => builder.Workers("count", 3, count),
            "lanes" => builder.Lanes("count", 3, key, count),
            "keys" => builder.Lanes("count", 3, key, _ => new Keys(count)),
            "async" => builder.Filter("all", static (ref readonly Routed item) => item.Id >= 0).Workers("count", 2, _ => new Awaiting(count)),
            _ => builder,
        };
        if (topology == "expand")
        {
            builder
                .Expand("copy", 256, static (ref Routed item, Emitter<long> output) => output.Emit(item.Id), workers: 2)
                .Stage("count", (ref long _) => Interlocked.Increment(ref handled));
        }

        await using Pipeline<Routed> pipeline = builder.Run(plan);
        SingleProducer<Routed> producer = pipeline.CreateProducer();
        long next = 0;
        PublishAndWait(WarmUp);

        Allocated.AssertNoneAMessage(Count, () => PublishAndWait(Count));

        void PublishAndWait(long items)
        {
            for (long end = next + items; next < end; next++) producer.Publish(new Routed { Id = next });
            var spin = new SpinWait();
            while (Volatile.Read(ref handled) < next) spin.SpinOnce(sleep1Threshold: -1);
        }
    }

    private sealed class Keys(SlotAction<Routed> each) : IKeyHandler<Routed, long>
    {
        public void OnKey(long key, KeyedItems<Routed> items)
        {
            foreach (ref Routed item in items) each(ref item);
        }
    }

    private sealed class Awaiting(SlotAction<Routed> each) : IAsyncBatchHandler<Routed>
    {
        private static readonly Func<Task> s_yield = static async () => await Task.Yield();

        // A batch now and then is awaited, through a task of its own that is not counted among an item's costs.
        public ValueTask OnBatchAsync(AsyncBatch<Routed> batch, CancellationToken cancellation)
        {
            for (int i = 0; i < batch.Count; i++) each(ref batch[i]);
            return batch.Sequence % 100_000 < 2 ? new ValueTask(s_yield()) : ValueTask.CompletedTask;
        }
    }
}
