using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>What a pipeline had done by a moment: one of the two ends of what <see cref="Diagnosis.Between"/> looks at.</summary>
/// <remarks>
/// <see cref="PipelineObserving.TakeSnapshot"/> makes one. They may be put together by hand as well, from what an exporter
/// or another process tells; what is not known is left out, and the diagnosis does without it.
/// </remarks>
public sealed record PipelineSnapshot
{
    /// <summary>When, by any clock that does not go back; both ends by the same.</summary>
    public required TimeSpan At { get; init; }

    /// <summary>The stages, each after its upstream.</summary>
    public required IReadOnlyList<StageSnapshot> Stages { get; init; }

    /// <summary>The rings, each after those that feed it.</summary>
    public required IReadOnlyList<RingStatistics> Rings { get; init; }

    /// <summary>How the stages are driven; null if that is not known.</summary>
    public Plan? Plan { get; init; }

    /// <summary>Why they are driven so, see <see cref="Pipeline{T}.PlanReason"/>; null if that is not known.</summary>
    public string? PlanReason { get; init; }

    /// <summary>Processors that the process may use. Default: those of this one.</summary>
    public int Processors { get; init; } = Environment.ProcessorCount;

    /// <summary>Processor time of the whole process; null where it is not known.</summary>
    public TimeSpan? Processor { get; init; }

    /// <summary>Time in which garbage collections held every thread up. Default: none.</summary>
    public TimeSpan Paused { get; init; }
}

/// <summary>A stage in a <see cref="PipelineSnapshot"/>.</summary>
public sealed record StageSnapshot
{
    /// <summary>What it has done.</summary>
    public required StageStatistics Done { get; init; }

    /// <summary>What names the thread that drives it: of stages with the same one the times are the same. Default: its own.</summary>
    public string? Driver { get; init; }

    /// <summary>Its ring's place in <see cref="PipelineSnapshot.Rings"/>; null where it is not known.</summary>
    public int? Ring { get; init; }

    /// <summary>The rings that the stages of its ring publish into. Default: none.</summary>
    public IReadOnlyList<int> Feeds { get; init; } = [];

    /// <summary>How its handler is called; null where it is not known.</summary>
    public Dispatch? Dispatch { get; init; }

    /// <summary>How its driver waits; null where it is not known.</summary>
    public Wait? Wait { get; init; }

    /// <summary>Processor time of the thread that drives it; null where it is not known, or no thread always does.</summary>
    public TimeSpan? Processor { get; init; }

    /// <summary>Time in which that thread could have run and had no processor; null where it is not known.</summary>
    public TimeSpan? Ready { get; init; }
}
