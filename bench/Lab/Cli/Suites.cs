using Raceway.Scenarios.Measuring;
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

    /// <summary>What is claimed of a suite.</summary>
    public static IReadOnlyList<Claim> ClaimsOf(string suite) => suite == "ring" ? RingClaims.All : [];

    /// <summary>The cases to run: those named; without names all of the suite, or of a quick run the part meant for it.</summary>
    public static IEnumerable<RingCase> Select(string suite, IReadOnlyCollection<string> names, bool quick) =>
        All[suite].Where(one => names.Count == 0 ? one.InQuick || !quick : names.Any(name => IsNamed(name, one)));

    /// <summary>Whether a name is that of the case, or ends in <c>*</c> and is how the case's begins.</summary>
    public static bool IsNamed(string name, RingCase one) => name.EndsWith('*')
        ? one.Name.StartsWith(name[..^1], StringComparison.Ordinal)
        : one.Name == name;
}
