using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>Takes what a pipeline has done so far.</summary>
internal static class SnapshotTaking
{
    public static PipelineSnapshot Of<T>(Pipeline<T> pipeline)
    {
        IReadOnlyList<Stage> stages = pipeline.Stages;
        LinkedRing[] linked = [.. pipeline.Linked];
        return new PipelineSnapshot
        {
            Plan = pipeline.Plan,
            PlanReason = pipeline.PlanReason,
            Stages = [.. stages.Select(stage => SnapshotOf(stage, stages, linked))],
            Rings = [.. pipeline.Rings.Select(static ring => ring.GetStatistics())],
            Processor = ProcessorTime(),
            Paused = GC.GetTotalPauseDuration(),
            At = Clock.Span(MachineClock.Now),
        };
    }

    private static StageSnapshot SnapshotOf(Stage stage, IReadOnlyList<Stage> stages, LinkedRing[] linked)
    {
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
