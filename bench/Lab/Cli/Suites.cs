using Raceway.Scenarios.RingSuite;

namespace Raceway.Lab.Cli;

/// <summary>The suites that <c>raceway compare</c> knows.</summary>
internal static class Suites
{
    /// <summary>The cases of each suite.</summary>
    public static IReadOnlyDictionary<string, IReadOnlyList<RingCase>> All { get; } =
        new Dictionary<string, IReadOnlyList<RingCase>>
        {
            ["ring"] = RingCases.Baselines,
            ["soak"] = SoakCases.All,
        };
}
