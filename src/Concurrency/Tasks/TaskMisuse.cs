namespace Raceway.Concurrency;

/// <summary>The errors of a caller that uses a for-each or a scope against its rules: rule, value, remedy.</summary>
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

    public static ObjectDisposedException ScopeOver() =>
        new(
            nameof(TaskScope),
            "A scope must not be used after it was disposed of, and must come from Rent: another caller may have it by now. "
            + "Read results between JoinAsync and the end of `await using`.");

    public static InvalidOperationException ScopeJoined() =>
        new("A scope takes no children, and no second join, once it is joined. Fork before JoinAsync, or rent another scope.");

    public static InvalidOperationException ScopeShared() =>
        new(
            "A scope's children are forked by one thread at a time: two are doing so now. A child that wants children rents a "
            + "scope of its own, with TaskScope.Rent(scope.Token).");

    public static InvalidOperationException ScopeNotJoined() =>
        new("A child's result must be read after the join: the scope has not been joined. Await JoinAsync first.");

    public static InvalidOperationException NoResult() =>
        new("This child has no result: it has failed or was cancelled before its end. JoinAsync has thrown why.");
}
