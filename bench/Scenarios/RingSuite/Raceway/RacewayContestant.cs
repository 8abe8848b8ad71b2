using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Scenarios.RingSuite;

/// <summary>A Raceway pipeline; the setting says how it is driven and called.</summary>
internal sealed class RacewayContestant<TSlot>(string name, RingShape shape, RacewaySetting setting)
    : StagedContestant<TSlot>(name, shape)
    where TSlot : struct, ISlot<TSlot>
{
    private readonly List<Action<Pipeline<TSlot>>> _reports = [];
    private PipelineBuilder<TSlot> _builder = Pipeline.Of<TSlot>(shape.Capacity);
    private Pipeline<TSlot>? _pipeline;
    private int _rounds;

    public override int BusyThreads => Shape.Producers + (setting.Plan == Plan.Fused ? 1 : Shape.Stages);

    private ProducerKind Producers =>
        setting.Producers ?? (Shape.MultiProducer ? ProducerKind.Multi : ProducerKind.Single);

    protected override void Prepare(RingLoad load, Crew crew)
    {
        _rounds++;
        _reports.Clear();
        _builder = Pipeline.Of<TSlot>(Shape.Capacity).WaitWith(setting.Wait)
            .Configure(options => TSlot.Configure(options with
            {
                Producers = Producers,

                // As it comes for several producers; otherwise as many as there are.
                MaxProducers = Producers == ProducerKind.Multi ? options.MaxProducers : Shape.Producers,
            }));
        AddStages(load, crew);
        Pipeline<TSlot> pipeline = _builder.Run(setting.Plan);
        _pipeline = pipeline;

        for (int p = 0; p < Shape.Producers; p++)
        {
            Feed feed = load.FeedOf(p);
            crew.Add(() =>
            {
                if (Producers == ProducerKind.Multi) RacewayPublishing.Multi(pipeline.Ring, feed);
                else if (setting.PublishGroup > 1) RacewayPublishing.Groups(pipeline.Ring, feed, setting.PublishGroup);
                else RacewayPublishing.Open(pipeline.Ring, feed);
                if (load.IsLastProducer()) DrainInto(load, pipeline);
            });
        }

        crew.OnCancel(() => pipeline.HaltAsync());
    }

    protected override void AddStage<TWork>(RingLoad load, Crew crew, int stage, TWork work)
    {
        // Stage threads start apart from the producers, as those of every other contestant do.
        int place = Shape.Producers + (setting.Plan == Plan.Fused ? 0 : stage - 1);
        string[] after = [.. Shape.After(stage).Select(NameOf)];
        switch (setting.Handler)
        {
            case HandlerKind.Batch:
                _builder.StageOfBatches(NameOf(stage), new EachBatch<TSlot, TWork>(work, place), setting.Dispatch, after);
                Report<EachBatch<TSlot, TWork>>();
                break;
            case HandlerKind.ClassEvent:
                _builder.Stage(
                    NameOf(stage), ClassHandlers.Create<TSlot, TWork>(_rounds + stage, work, place), setting.Dispatch, after);
                Report<IWorking<TWork>>();
                break;
            default:
                _builder.StageOfEvents(NameOf(stage), new EachItem<TSlot, TWork>(work, place), setting.Dispatch, after);
                Report<EachItem<TSlot, TWork>>();
                break;
        }

        void Report<THandler>()
            where THandler : IWorking<TWork> =>
            _reports.Add(pipeline => pipeline[NameOf(stage)].GetHandler<THandler>().Work.Report(load, stage));
    }

    protected override void Finish(RingLoad load) => _pipeline?.HaltAsync().GetAwaiter().GetResult();

    private static string NameOf(int stage) => $"stage-{stage}";

    private void DrainInto(RingLoad load, Pipeline<TSlot> pipeline)
    {
        pipeline.DrainAsync(Timeout.InfiniteTimeSpan).GetAwaiter().GetResult();
        IReadOnlyList<StageStatistics> done = pipeline.GetStatistics();
        load.MeanBatch = (double)done.Sum(static stage => stage.Items) / Math.Max(1, done.Sum(static stage => stage.Batches));
        _reports.ForEach(report => report(pipeline));
    }
}
