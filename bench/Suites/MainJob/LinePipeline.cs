using Raceway.Measuring;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Suites.MainJob;

/// <summary>The main job's pipeline: parse → hash (where the item has room for it) → totals.</summary>
internal static class LinePipeline
{
    /// <summary>The definition; it knows the plan only to place the last stage's thread.</summary>
    public static PipelineBuilder<TItem, TItem> Of<TItem>(int capacity, LineTotals totals, Dispatch dispatch, Plan plan)
        where TItem : struct, ILineItem<TItem>
    {
        PipelineBuilder<TItem, TItem> pipeline = Pipeline.Of<TItem>(capacity)
            // Chunks go back when the last stage moves on, so a slot may keep its reference until it is overwritten.
            .Configure(static options => options with { ClearSlots = false })
            .Stage("parse", new Parse<TItem>(), dispatch);
        if (TItem.Hashed) pipeline.Stage("hash", new Hash<TItem>(), dispatch);
        return pipeline.Stage("totals", new Totals<TItem>(totals, plan == Plan.Fused ? 1 : TItem.Hashed ? 3 : 2), dispatch);
    }

    // Stage threads start apart from the producer, as those of every contestant do.
    private abstract class Placed(int place) : IStageLifetime
    {
        public void OnStart() => Placement.StartApart(place);

        public void OnStop()
        {
        }
    }

    private sealed class Parse<TItem>() : Placed(1), IBatchHandler<TItem>
        where TItem : struct, ILineItem<TItem>
    {
        public void OnBatch(Batch<TItem> batch)
        {
            LineStages.Parse(batch.First);
            LineStages.Parse(batch.Second);
        }
    }

    private sealed class Hash<TItem>() : Placed(2), IBatchHandler<TItem>
        where TItem : struct, ILineItem<TItem>
    {
        public void OnBatch(Batch<TItem> batch)
        {
            LineStages.Hash(batch.First);
            LineStages.Hash(batch.Second);
        }
    }

    private sealed class Totals<TItem>(LineTotals totals, int place) : Placed(place), IBatchHandler<TItem>
        where TItem : struct, ILineItem<TItem>
    {
        public void OnBatch(Batch<TItem> batch)
        {
            totals.Add(batch.First);
            if (!batch.Second.IsEmpty) totals.Add(batch.Second);
        }
    }
}
