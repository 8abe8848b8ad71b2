namespace Raceway.Measuring;

/// <summary>What <c>raceway compare --suite</c> runs.</summary>
/// <param name="Name">The name on the command line.</param>
/// <param name="Description">What it compares, in a few words.</param>
/// <param name="Cases">Its cases.</param>
public sealed record Suite(string Name, string Description, IReadOnlyList<SuiteCase> Cases)
{
    /// <summary>The most time that a quick run of it takes, where that is less than its cases would be given.</summary>
    public TimeSpan? MostQuick { get; init; }
}
