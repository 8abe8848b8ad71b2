using Raceway.Measuring;

namespace Raceway.Suites.ExecutorsSuite;

/// <summary>The cases of <c>compare --suite executors</c>.</summary>
/// <remarks>
/// Every handler does the same: it adds its number to the sum of its stream and returns that, which only the right order
/// gives; what the results add up to is computed without a contestant.
/// </remarks>
public static class ExecutorCases
{
    /// <summary>All cases.</summary>
    public static IReadOnlyList<SuiteCase> All { get; } = [.. ParallelCases.All, .. SerialCases.All];
}
