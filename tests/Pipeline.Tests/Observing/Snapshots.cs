using Raceway.Rings;

namespace Raceway.Pipelines.Tests.Observing;

/// <summary>Snapshots made of figures, as if a pipeline had run for a second.</summary>
internal static class Snapshots
{
    /// <summary>One second of a pipeline on four processors, of which it used two, with one ring.</summary>
    public static PipelineSnapshot Of(RingStatistics ring, params StageSnapshot[] stages) => new()
    {
        At = TimeSpan.FromSeconds(1),
        Plan = Plan.SharedRing,
        Processors = 4,
        Processor = TimeSpan.FromSeconds(2),
        Stages = stages,
        Rings = [ring],
    };

    /// <summary>Nothing yet.</summary>
    public static PipelineSnapshot Start { get; } = new()
    {
        At = TimeSpan.Zero,
        Processors = 4,
        Processor = TimeSpan.Zero,
        Stages = [],
        Rings = [],
    };

    public static RingStatistics Ring(int capacity = 16_384, double blocked = 0, double waking = 0, long parks = 0) => new()
    {
        Capacity = capacity,
        Waits = parks,
        Parks = parks,
        Blocked = TimeSpan.FromSeconds(blocked),
        Waking = TimeSpan.FromSeconds(waking),
    };

    /// <summary>A stage that has waited for items where it is not said what else it did.</summary>
    public static StageSnapshot Stage(
        string name, long items, double meanBatch, double working, double blocked = 0, double waking = 0, long parks = 0,
        long full = 0, long aged = 0, Dispatch? dispatch = null, Wait? wait = null, double? processor = null, double? ready = null,
        string? driver = null, int ring = 0, int[]? feeds = null)
    {
        long batches = items == 0 ? 0 : Math.Max(1, (long)(items / meanBatch));
        return new StageSnapshot
        {
            Done = new StageStatistics
            {
                Name = name,
                Items = items,
                Batches = batches,
                Parks = parks,
                Working = TimeSpan.FromSeconds(working),
                Starved = TimeSpan.FromSeconds(1 - working - blocked - waking),
                Blocked = TimeSpan.FromSeconds(blocked),
                Waking = TimeSpan.FromSeconds(waking),
                CloseReasons = [batches - full - aged, full, aged, 0, 0, 0],
                BatchSizes = [],
            },
            Driver = driver,
            Ring = ring,
            Feeds = feeds ?? [],
            Dispatch = dispatch ?? Dispatch.Batch(),
            Wait = wait ?? Wait.Park(),
            // Its work and nothing else, unless said otherwise.
            Processor = TimeSpan.FromSeconds(processor ?? working),
            Ready = TimeSpan.FromSeconds(ready ?? 0),
        };
    }

    /// <summary>What is found of a second that ended so.</summary>
    public static IReadOnlyList<Finding> Find(PipelineSnapshot after) => Diagnosis.Between(Start, after).Findings;

    /// <summary>What it is about.</summary>
    public static FindingKind[] Kinds(PipelineSnapshot after) => [.. Find(after).Select(static finding => finding.Kind)];

    /// <summary>The same on a system that accounts for processes alone.</summary>
    public static StageSnapshot WithoutAccount(this StageSnapshot stage) => stage with { Processor = null, Ready = null };
}
