using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Suites.RingSuite;

/// <summary>A Raceway pipeline; the setting says how it is driven and called.</summary>
internal sealed class RacewayContestant<TSlot>(string name, RingShape shape, RacewaySetting setting)
    : StagedContestant<TSlot>(name, shape)
    where TSlot : struct, ISlot<TSlot>
{
    private RacewayStages<TSlot>? _stages;
    private Pipeline<TSlot>? _pipeline;
    private int _rounds;

    public override int BusyThreads => setting.ThreadsOf(Shape);

    protected override void Prepare(RingLoad load, RoundThreads roundThreads)
    {
        RacewayStages<TSlot> stages = _stages = new(Shape, setting, ++_rounds);
        AddStages(load, roundThreads);
        Pipeline<TSlot> pipeline = _pipeline = stages.Run();
        TSlot.WarmUp(pipeline.Ring);

        for (int p = 0; p < Shape.Producers; p++)
        {
            Feed feed = load.FeedOf(p);
            roundThreads.Add(() =>
            {
                if (setting.ProducersOf(Shape) == ProducerKind.Multi) RacewayPublishing.Multi(pipeline.Ring, feed);
                else if (setting.PublishGroup > 1) RacewayPublishing.Groups(pipeline.Ring, feed, setting.PublishGroup);
                else RacewayPublishing.Open(pipeline.Ring, feed);
                if (!load.IsLastProducer()) return;
                IReadOnlyList<StageStatistics> done = stages.Drain(pipeline);
                load.MeanBatch =
                    (double)done.Sum(static stage => stage.Items) / Math.Max(1, done.Sum(static stage => stage.Batches));
            });
        }

        roundThreads.OnCancel(() => pipeline.HaltAsync());
    }

    protected override void AddStage<TWork>(RingLoad load, RoundThreads roundThreads, int stage, TWork work) =>
        _stages!.Add(load, stage, work);

    protected override void Finish(RingLoad load) => _pipeline?.HaltAsync().GetAwaiter().GetResult();
}
