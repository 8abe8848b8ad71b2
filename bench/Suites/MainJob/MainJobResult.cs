namespace Raceway.Suites.MainJob;

/// <summary>What the main job found in its input.</summary>
/// <param name="Input">The files.</param>
/// <param name="Totals">Counts and the fold.</param>
/// <param name="FileBytes">Bytes met in each file.</param>
/// <param name="Digests">SHA-512 of each file, where asked for.</param>
/// <param name="Seconds">Wall time, reading included.</param>
/// <param name="Engine">What ran it.</param>
public sealed record MainJobResult(
    InputSet Input,
    LineTotals Totals,
    IReadOnlyList<long> FileBytes,
    FileDigests? Digests,
    double Seconds,
    string Engine)
{
    /// <summary>Computes the same from the files in another way and compares.</summary>
    /// <exception cref="InputException">A file vanished or shrank meanwhile.</exception>
    public bool Verify(bool hashed, CancellationToken cancellation) =>
        ExpectedTotals.Compute(Input.Files.Zip(FileBytes), hashed, cancellation).Agree(Totals);
}
