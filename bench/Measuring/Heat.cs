namespace Raceway.Measuring;

/// <summary>The first rounds of a case, which all contestants have: those that are kept have the time of the others in the rounds that follow.</summary>
/// <param name="Rounds">How many.</param>
/// <param name="Kept">The names of those that go on, by what all have done in these rounds.</param>
public sealed record Heat(int Rounds, Func<IReadOnlyList<ContestantRounds>, IEnumerable<string>> Kept);
