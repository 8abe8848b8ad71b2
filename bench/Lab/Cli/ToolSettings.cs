using Raceway.Scenarios.MainJob;
using Raceway.Scenarios.Measuring;

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
    public IReadOnlyList<Type> OwnTypes { get; init; } = Scenarios.Layouts.OwnTypes.All;

    /// <summary>A case of a suite with <c>--quick</c>.</summary>
    public InterleaverOptions QuickCompare { get; init; } = InterleaverOptions.Quick;
}
