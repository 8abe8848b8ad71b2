using Raceway.Suites.MainJob;

namespace Raceway.Lab.Cli;

/// <summary>What runs the main job itself.</summary>
internal static class LineEngines
{
    /// <summary>The one that prints the result and writes the manifest.</summary>
    public static RacewayLineEngine Default(int capacity, bool recordsTimeline = false) => new(capacity, recordsTimeline);
}
