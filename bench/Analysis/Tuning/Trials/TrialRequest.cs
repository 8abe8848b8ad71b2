using Raceway.Measuring;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Analysis.Tuning;

/// <summary>One run that is asked for: under which settings, how long, and when the items come.</summary>
public sealed record TrialRequest
{
    /// <summary>The settings; see <see cref="Tuning.Knobs"/>.</summary>
    public required IReadOnlyDictionary<string, string> Knobs { get; init; }

    /// <summary>For how long items are published.</summary>
    public required double Seconds { get; init; }

    /// <summary>The most items.</summary>
    public long Items { get; init; } = long.MaxValue;

    /// <summary>Items per second of an open loop, which records latencies. Without it, items come as fast as they are taken.</summary>
    public double? Rate { get; init; }

    /// <summary>How they come, see <see cref="ArrivalPattern.Parse"/>.</summary>
    public string Arrivals { get; init; } = "constant";

    /// <summary>Decides what is random of that.</summary>
    public int Seed { get; init; }

    /// <summary>How often the stages are looked at meanwhile.</summary>
    public int Samples { get; init; }

    /// <summary>Whether to say what holds the pipeline up.</summary>
    public bool Diagnose { get; init; }
}

/// <summary>What came out of a run.</summary>
public sealed record TrialReply
{
    /// <summary>Items published and handled.</summary>
    public required long Items { get; init; }

    /// <summary>From the first until the last one was handled.</summary>
    public required double Seconds { get; init; }

    /// <summary>Whether the trial's own check found everything right.</summary>
    public required bool Verified { get; init; }

    /// <summary>Processor time, that of an open loop's polling not counted.</summary>
    public required double CpuSeconds { get; init; }

    /// <summary>Bytes allocated by all threads.</summary>
    public long AllocatedBytes { get; init; }

    /// <summary>Latencies in nanoseconds: value and count in turn.</summary>
    public IReadOnlyList<long> Latencies { get; init; } = [];

    /// <summary>The p99 in nanoseconds of each window that the round was cut into, some 10 ms long.</summary>
    public IReadOnlyList<long> WindowP99s { get; init; } = [];

    /// <summary>Whether it could not keep up, and was given up: what was due by then is in the latencies. Time and processor time
    /// go on until all items that were sent are through.</summary>
    public bool FellBehind { get; init; }

    /// <summary>The stages at the end.</summary>
    public IReadOnlyList<StageStatistics> Stages { get; init; } = [];

    /// <summary>The rings at the end.</summary>
    public IReadOnlyList<RingStatistics> Rings { get; init; } = [];

    /// <summary>The stages meanwhile, as often as was asked for.</summary>
    public IReadOnlyList<TrialSnapshot> Snapshots { get; init; } = [];

    /// <summary>What holds the pipeline up, where that was asked for.</summary>
    public IReadOnlyList<TrialFinding> Findings { get; init; } = [];

    /// <summary>Methods that the process had compiled at the end, each of them as often as it was.</summary>
    public long Compiled { get; init; }

    /// <summary>The sample that tables are made of.</summary>
    public Sample ToSample() => new(Items, Seconds, Verified, CpuSeconds, AllocatedBytes)
    {
        FellBehind = FellBehind,
        Latency = Latencies.Count == 0 ? null : LatencyHistogram.Of(Latencies),
        Counts = WindowP99s.Count == 0
            ? []
            : [new Count(Figures.WindowP99, "ns", Statistics.Median(WindowP99s.Select(static one => (double)one)))],
        MeanBatch = Stages.Sum(static stage => stage.Batches) is > 0 and var batches
            ? (double)Stages.Sum(static stage => stage.Items) / batches
            : 0,
    };
}

/// <summary>The stages at some time.</summary>
/// <param name="At">Seconds since the first item.</param>
/// <param name="Stages">What they had done.</param>
public sealed record TrialSnapshot(double At, IReadOnlyList<StageStatistics> Stages);

/// <summary>Something that holds a pipeline up: a <see cref="Finding"/>, in the words of the knobs.</summary>
/// <param name="Kind">What it is.</param>
/// <param name="Text">Where, what, why and what to do, in a line.</param>
/// <param name="Changes">Each a change of settings that is advised.</param>
public sealed record TrialFinding(FindingKind Kind, string Text, IReadOnlyList<IReadOnlyDictionary<string, string>> Changes);

/// <summary>Runs trials of one pipeline, in this process or another.</summary>
public interface ITrialHost
{
    /// <summary>What is tried.</summary>
    string Name { get; }

    /// <summary>Runs one. What earlier ones have left behind is collected by it, not by its caller.</summary>
    /// <exception cref="OperationCanceledException">It was cancelled.</exception>
    TrialReply Run(TrialRequest request, CancellationToken cancellation);
}
