using System.Runtime.CompilerServices;

namespace Raceway.Concurrency;

/// <summary>Waits for a handler that is suspended.</summary>
internal static class Suspension
{
    /// <summary>
    /// Calls <paramref name="resume"/> when the handler has ended. A task that takes no awaiter, such as one that was awaited before,
    /// has ended with that error.
    /// </summary>
    public static void WhenReady<TResult>(
        ref ConfiguredValueTaskAwaitable<TResult>.ConfiguredValueTaskAwaiter running, Action resume)
    {
        try
        {
            running.UnsafeOnCompleted(resume);
        }
        catch (Exception refused)
        {
            running = new ValueTask<TResult>(Task.FromException<TResult>(refused)).ConfigureAwait(false).GetAwaiter();
            // Not here: a thousand such tasks, one behind another, would be a thousand calls deep.
            ThreadPool.UnsafeQueueUserWorkItem(static action => action(), resume, preferLocal: false);
        }
    }
}
