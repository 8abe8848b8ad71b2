using Raceway.Measuring;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Suites.MainJob;

/// <summary>The main job's pipeline: parse → hash (where the item has room for it) → totals.</summary>
internal static class LinePipeline
{
    /// <summary>The definition; it knows the plan only to place the stages' threads, where they have some.</summary>
    public static PipelineBuilder<TItem, TItem> Of<TItem>(
        int capacity, LineTotals totals, Dispatch dispatch, Plan plan, bool byHashData = false)
        where TItem : struct, ILineItem<TItem>
    {
        PipelineBuilder<TItem, TItem> pipeline = Pipeline.Of<TItem>(capacity)
            // Chunks go back when the last stage moves on, so a slot may keep its reference until it is overwritten.
            .Configure(static options => options with { ClearSlots = false })
            .Stage("parse", new Parse<TItem>(PlaceOf(1)), dispatch);
        if (TItem.Hashed) pipeline.Stage("hash", new Hash<TItem>(PlaceOf(2), byHashData), new StageOptions { Dispatch = dispatch, IsStateless = true });
        return pipeline.Stage("totals", new Totals<TItem>(totals, PlaceOf(TItem.Hashed ? 3 : 2)), dispatch);

        // The pool's threads serve all; one thread for all stages has one place.
        int? PlaceOf(int place) => plan is Plan.Auto or Plan.Pooled ? null : plan == Plan.Fused ? 1 : place;
    }

    // A stage's own thread starts apart from the producer.
    private abstract class Placed(int? place) : IStageLifetime
    {
        public void OnStart() => Placement.StartApart(place);

        public void OnStop()
        {
        }
    }

    private sealed class Parse<TItem>(int? place) : Placed(place), IBatchHandler<TItem>
        where TItem : struct, ILineItem<TItem>
    {
        public void OnBatch(Batch<TItem> batch)
        {
            LineStages.Parse(batch.First);
            LineStages.Parse(batch.Second);
        }
    }

    private sealed class Hash<TItem>(int? place, bool byHashData) : Placed(place), IBatchHandler<TItem>
        where TItem : struct, ILineItem<TItem>
    {
        public void OnBatch(Batch<TItem> batch)
        {
            Digest(batch.First);
            Digest(batch.Second);
        }

        private void Digest(Span<TItem> items)
        {
            if (byHashData) LineStages.HashData(items);
            else LineStages.Hash(items);
        }
    }

    private sealed class Totals<TItem>(LineTotals totals, int? place) : Placed(place), IBatchHandler<TItem>
        where TItem : struct, ILineItem<TItem>
    {
        public void OnBatch(Batch<TItem> batch)
        {
            totals.Add(batch.First);
            if (!batch.Second.IsEmpty) totals.Add(batch.Second);
        }
    }
}
