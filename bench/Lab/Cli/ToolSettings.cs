using Raceway.Analysis.Tuning;
using Raceway.Measuring;
using Raceway.Suites.MainJob;

namespace Raceway.Lab.Cli;

/// <summary>What the commands measure and for how long; tests of the commands measure few contestants for no time.</summary>
internal sealed record ToolSettings
{
    /// <summary>Makes the contestants of the main job, given whether lines are hashed and the capacity.</summary>
    public Func<bool, int, IReadOnlyList<LineContestant>> Contestants { get; init; } = LineContestants.All;

    /// <summary>The main job.</summary>
    public MainJobOptions MainJob { get; init; } = MainJobOptions.Default;

    /// <summary>The main job with <c>--quick</c>.</summary>
    public MainJobOptions QuickMainJob { get; init; } = MainJobOptions.Quick;

    /// <summary>A case of a suite.</summary>
    public InterleaverOptions Compare { get; init; } = new();

    /// <summary>The types that <c>layout --self</c> checks.</summary>
    public IReadOnlyList<Type> OwnTypes { get; init; } = Analysis.Layouts.OwnTypes.All;

    /// <summary>A case of a suite with <c>--quick</c>.</summary>
    public InterleaverOptions QuickCompare { get; init; } = InterleaverOptions.Quick;

    /// <summary>A case of the false-sharing study: loops of nanoseconds, which a short round times as well as a long one.</summary>
    public InterleaverOptions Sharing { get; init; } = new()
    {
        Rounds = 11,
        RoundTime = TimeSpan.FromMilliseconds(12),
        WarmUpLimit = TimeSpan.FromMilliseconds(30),
    };

    /// <summary>A case of the false-sharing study with <c>--quick</c>: the fewest rounds that have an interval.</summary>
    public InterleaverOptions QuickSharing { get; init; } = new()
    {
        Rounds = 6,
        RoundTime = TimeSpan.FromMilliseconds(4),
        WarmUpLimit = TimeSpan.FromMilliseconds(12),
    };

    /// <summary>A search, but for what its options say.</summary>
    public TuneOptions Tune { get; init; } = new() { Goal = TuneGoal.Parse(TuneGoal.Throughput) };
}
