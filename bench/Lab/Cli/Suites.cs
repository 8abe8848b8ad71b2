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

    /// <summary>The cases to run: those named; without names all of the suite, or of a quick run the part meant for it.</summary>
    public static IEnumerable<RingCase> Select(string suite, IReadOnlyCollection<string> names, bool quick) =>
        All[suite].Where(one => names.Count == 0 ? one.InQuick || !quick : names.Contains(one.Name));
}
