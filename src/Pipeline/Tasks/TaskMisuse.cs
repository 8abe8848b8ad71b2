namespace Raceway.Pipelines;

/// <summary>What is said to who uses a for-each or a scope against its rules: rule, value, remedy.</summary>
internal static class TaskMisuse
{
    public static ArgumentOutOfRangeException Bound(int maxConcurrency) =>
        new(
            nameof(maxConcurrency),
            maxConcurrency,
            $"At least one body must be allowed in flight: maxConcurrency={maxConcurrency}. "
            + "Use 1 or more; Environment.ProcessorCount is usual for work that keeps a core busy.");

    public static ArgumentOutOfRangeException TooManyNumbers(int fromInclusive, int toExclusive) =>
        new(
            nameof(toExclusive),
            toExclusive,
            $"A for-each must be over at most {int.MaxValue} numbers: fromInclusive={fromInclusive}, "
            + $"toExclusive={toExclusive}. Split it.");
}
