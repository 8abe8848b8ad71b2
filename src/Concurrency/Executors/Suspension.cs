using System.Runtime.CompilerServices;

namespace Raceway.Concurrency;

/// <summary>Waits for a handler that is suspended. A task that was awaited before may throw at each look, and take no other awaiter: it has ended
/// with that error.</summary>
internal static class Suspension
{
    /// <summary>Whether the handler has ended.</summary>
    public static bool IsReady<TResult>(in ConfiguredValueTaskAwaitable<TResult>.ConfiguredValueTaskAwaiter running)
    {
        try
        {
            return running.IsCompleted;
        }
        catch (Exception)
        {
            // Its result throws the same.
            return true;
        }
    }

    /// <summary>Calls <paramref name="resume"/> when the handler has ended.</summary>
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
