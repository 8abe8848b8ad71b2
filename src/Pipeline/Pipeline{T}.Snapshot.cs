using Raceway.Rings;

namespace Raceway.Pipelines;

/// <content>What it has done so far, for the diagnosis.</content>
public sealed partial class Pipeline<T>
{
    internal PipelineSnapshot Snapshot()
    {
        IReadOnlyList<Stage> stages = Stages;
        return new PipelineSnapshot
        {
            Plan = Plan,
            Stages = [.. stages.Select(stage => SnapshotOf(stage, stages))],
            Rings = [.. Rings.Select(static ring => ring.GetStatistics())],
            Processor = ProcessorTime(),
            Paused = GC.GetTotalPauseDuration(),
            At = Clock.Span(MachineClock.Now),
        };
    }

    private StageSnapshot SnapshotOf(Stage stage, IReadOnlyList<Stage> stages)
    {
        LinkedRing[] linked = [.. _rings.Linked];
        int ring = Array.FindIndex(linked, one => one.Ring == stage.Owner);
        ThreadTimes? thread = stage.ThreadTimes;
        return new StageSnapshot
        {
            Done = stage.GetStatistics(),
            Driver = (stages.FirstOrDefault(stage.IsDrivenWith) ?? stage).Name,
            Ring = ring,
            Feeds = [.. Enumerable.Range(0, linked.Length).Where(n => linked[n].FedBy.Contains(linked[ring]))],
            Dispatch = stage.Dispatch,
            Wait = stage.Options.Wait ?? stage.Owner.Options.Wait,
            Processor = thread?.Processor,
            Ready = thread?.Ready,
        };
    }

    private static TimeSpan? ProcessorTime()
    {
        if (OperatingSystem.IsBrowser() || OperatingSystem.IsIOS() || OperatingSystem.IsTvOS()) return null;
        return Environment.CpuUsage.TotalTime;
    }
}
