namespace Raceway.Measuring;

/// <summary>
/// Stands for a contestant that this build does not have: it gets its rows with a note and no figure.
/// </summary>
/// <param name="name">The name it would have.</param>
/// <param name="note">Why it is absent.</param>
public sealed class AbsentContestant(string name, string note = AbsentContestant.NotBuiltIn) : IContestant
{
    /// <summary>The note of a contestant with a package that is not part of this build.</summary>
    public const string NotBuiltIn = "not built in";

    /// <inheritdoc/>
    public string Name { get; } = name;

    /// <summary>Why it is absent.</summary>
    public string Note { get; } = note;

    /// <inheritdoc/>
    public int BusyThreads => 0;

    /// <inheritdoc/>
    public Sample Run(long operations, CancellationToken cancellation) => throw new NotSupportedException(Note);
}
