using Raceway.Scenarios.MainJob;
using Raceway.Scenarios.Measuring;

namespace Raceway.Lab.Cli;

/// <summary>How long the commands measure; tests, which only want to see that all is there, measure for no time.</summary>
internal sealed record ToolSettings
{
    /// <summary>The main job.</summary>
    public MainJobOptions MainJob { get; init; } = MainJobOptions.Default;

    /// <summary>The main job with <c>--quick</c>.</summary>
    public MainJobOptions QuickMainJob { get; init; } = MainJobOptions.Quick;

    /// <summary>A case of a suite.</summary>
    public InterleaverOptions Compare { get; init; } = new();

    /// <summary>A case of a suite with <c>--quick</c>.</summary>
    public InterleaverOptions QuickCompare { get; init; } = InterleaverOptions.Quick;
}
