using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Suites.RingSuite;

/// <summary>The pipeline of a round, as a setting asks for it: stages are added, it runs, and they report.</summary>
/// <param name="shape">How the stages hang together.</param>
/// <param name="setting">How they are driven and called.</param>
/// <param name="round">The number of the round.</param>
internal sealed class RacewayStages<TSlot>(RingShape shape, RacewaySetting setting, int round)
    where TSlot : struct, ISlot<TSlot>
{
    private readonly List<Action<Pipeline<TSlot>>> _reports = [];
    private readonly PipelineBuilder<TSlot, TSlot> _builder =
        Pipeline.Of<TSlot>(shape.Capacity).Configure(options => TSlot.Configure(setting.Configure(options, shape)));

    /// <summary>Adds a stage.</summary>
    public void Add<TWork>(RingLoad load, int stage, TWork work)
        where TWork : struct, IStageWork<TSlot>
    {
        // Stage threads start apart from the producers, as those of every other contestant do.
        int place = shape.Producers + (setting.Plan == Plan.Fused ? 0 : stage - 1);
        string[] after = [.. shape.After(stage).Select(NameOf)];
        switch (setting.Handler)
        {
            case HandlerKind.Batch:
                _builder.After(after).Stage(NameOf(stage), StageKind<TSlot>.Batches(new EachBatch<TSlot, TWork>(work, place)), setting.Dispatch);
                Report<EachBatch<TSlot, TWork>>();
                break;
            case HandlerKind.ClassEvent:
                _builder.After(after).Stage(
                    NameOf(stage), ClassHandlers.Create<TSlot, TWork>(round + stage, work, place), setting.Dispatch);
                Report<IWorking<TWork>>();
                break;
            default:
                _builder.After(after).Stage(NameOf(stage), StageKind<TSlot>.Events(new EachItem<TSlot, TWork>(work, place)), setting.Dispatch);
                Report<EachItem<TSlot, TWork>>();
                break;
        }

        void Report<THandler>()
            where THandler : IWorking<TWork> =>
            _reports.Add(pipeline => pipeline[NameOf(stage)].GetHandler<THandler>().Work.Report(load, stage));
    }

    /// <summary>Starts the stages.</summary>
    public Pipeline<TSlot> Run() => _builder.Run(setting.Plan);

    /// <summary>Waits until the stages have handled everything, has them report, and says what they did.</summary>
    public IReadOnlyList<StageStatistics> Drain(Pipeline<TSlot> pipeline)
    {
        pipeline.DrainAsync(Timeout.InfiniteTimeSpan).GetAwaiter().GetResult();
        _reports.ForEach(report => report(pipeline));
        return pipeline.GetStatistics();
    }

    private static string NameOf(int stage) => $"stage-{stage}";
}
