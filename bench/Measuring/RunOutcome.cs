namespace Raceway.Measuring;

/// <summary>
/// How a guarded run ended: with a sample, with a failure to report, or with neither where it was cancelled.
/// </summary>
internal readonly record struct RunOutcome(
    Sample? Sample, string? Failure, bool TooLong = false, bool Abandoned = false)
{
    public bool Cancelled => Sample is null && Failure is null;
}
