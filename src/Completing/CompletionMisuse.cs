using System.Diagnostics.CodeAnalysis;

namespace Raceway.Completing;

/// <summary>The errors of a caller that uses a pooled value task against its rules.</summary>
internal static class CompletionMisuse
{
    [DoesNotReturn]
    public static void ThrowAwaitedTwice() =>
        throw new InvalidOperationException(
            "A value task must be awaited once: this one was awaited before, and its source may serve another call by now. "
            + "Use AsTask() where the result is needed more than once.");

    [DoesNotReturn]
    public static void ThrowNotCompleted(bool isAwaited)
    {
        if (isAwaited) ThrowAwaitedTwice();
        throw new InvalidOperationException(
            "A value task's result must not be taken before it has completed: status=Pending. "
            + "Await it, or block on AsTask() outside of handlers.");
    }
}
