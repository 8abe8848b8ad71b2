using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace Raceway.Concurrency;

/// <summary>What executors say to calls that cannot be.</summary>
internal static class Refusal
{
    /// <summary>Checks a handler, and that its result is no task, which would not be awaited.</summary>
    public static void Check<TResult>([NotNull] Delegate? handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        if (Results<TResult>.AreTasks) ThrowTask(typeof(TResult));
    }

    /// <summary>What a handler threw, as its caller sees it wherever it ran.</summary>
    public static ValueTask<TResult> Of<TResult>(Exception fault) =>
        fault is OperationCanceledException { CancellationToken: { IsCancellationRequested: true } cancelled }
            ? ValueTask.FromCanceled<TResult>(cancelled)
            : ValueTask.FromException<TResult>(fault);

    public static void CheckResults(int states, int results)
    {
        if (states <= results) return;
        throw new ArgumentException(
            $"There must be a place for every result: states={states}, results={results}. Give as many places as states.",
            nameof(results));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void ThrowTask(Type result) =>
        throw new ArgumentException(
            $"A handler that returns a task must be given as an async one, or the task would not be awaited: "
            + $"result={result.Name}. Use the overload with a handler (state, cancellation) => ValueTask<TResult>.",
            "handler");

    private static class Results<TResult>
    {
        public static readonly bool AreTasks = typeof(Task).IsAssignableFrom(typeof(TResult))
            || typeof(TResult) == typeof(ValueTask)
            || (typeof(TResult).IsGenericType && typeof(TResult).GetGenericTypeDefinition() == typeof(ValueTask<>));
    }
}
