using Raceway.Scenarios.RingSuite;

namespace Raceway.Lab.Cli;

/// <summary>The names given to <c>--case</c>: of one case, or with a <c>*</c> at the end of all that begin so.</summary>
internal static class CaseNames
{
    /// <summary>Whether a name given means the case.</summary>
    public static bool Means(string given, RingCase one) => given.EndsWith('*')
        ? one.Name.StartsWith(given[..^1], StringComparison.Ordinal)
        : one.Name == given;

    /// <summary>The cases to run, in the order of the suite.</summary>
    /// <param name="suite">All of its cases.</param>
    /// <param name="given">The names given; where there are none, all cases, or the quick ones.</param>
    /// <param name="quick">Whether it is a quick run.</param>
    public static IReadOnlyList<RingCase> Select(
        IReadOnlyList<RingCase> suite, IReadOnlyList<string> given, bool quick) => given.Count == 0
        ? [.. suite.Where(one => one.Quick || !quick)]
        : [.. suite.Where(one => given.Any(name => Means(name, one)))];
}
