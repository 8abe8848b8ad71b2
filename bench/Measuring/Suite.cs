namespace Raceway.Measuring;

/// <summary>What <c>raceway compare --suite</c> runs: cases, and what is claimed of them.</summary>
/// <param name="Name">The name on the command line.</param>
/// <param name="Description">What it compares, in a few words.</param>
/// <param name="Cases">Its cases.</param>
/// <param name="Claims">What every run of it checks.</param>
public sealed record Suite(
    string Name, string Description, IReadOnlyList<SuiteCase> Cases, IReadOnlyList<Claim> Claims);
