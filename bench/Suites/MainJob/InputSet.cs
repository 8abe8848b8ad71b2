namespace Raceway.Suites.MainJob;

/// <summary>The files of one run, in the order in which they are read.</summary>
/// <param name="Files">
/// Paths as given; a file found in a folder is named by the folder as given, a slash and its path within, which is
/// what <c>sha512sum folder/*</c> prints.
/// </param>
/// <param name="Description">Where they come from, for the report.</param>
/// <param name="Notes">What the user must know about the choice, such as files that were left out.</param>
public sealed record InputSet(IReadOnlyList<string> Files, string Description, IReadOnlyList<string> Notes)
{
    /// <summary>Entries of folders that cannot be read, each with the reason: the run goes on without them and fails at the end.</summary>
    public IReadOnlyList<string> Unread { get; init; } = [];
}
