namespace Raceway.Pipelines.Tests.Support;

/// <summary>Ends a test that hangs. Nothing here asserts that something is fast.</summary>
/// <remarks>It counts pauses of its own, not the clock: a process that the machine has not run for minutes has not hung.</remarks>
internal static class Watchdog
{
    private const int MostSeconds = 180;
    private const int MostLooks = 120_000;

    public static Task OrHang(this ValueTask task) => task.AsTask().OrHang();

    public static Task<TResult> OrHang<TResult>(this ValueTask<TResult> task) => task.AsTask().OrHang();

    public static async Task<TResult> OrHang<TResult>(this Task<TResult> task)
    {
        await ((Task)task).OrHang().ConfigureAwait(false);
        return await task.ConfigureAwait(false);
    }

    public static async Task OrHang(this Task task)
    {
        for (int seconds = 0; seconds < MostSeconds && !task.IsCompleted; seconds++)
        {
            using var over = new CancellationTokenSource();
            await Task.WhenAny(task, Task.Delay(TimeSpan.FromSeconds(1), over.Token)).ConfigureAwait(false);
            await over.CancelAsync().ConfigureAwait(false);
        }

        if (!task.IsCompleted) throw new TimeoutException("Hung, waiting for a task.");
        await task.ConfigureAwait(false);
    }

    /// <summary>Waits until <paramref name="condition"/> holds, without holding the processor.</summary>
    public static async Task UntilAsync(Func<bool> condition, string what)
    {
        for (int looks = 0; !condition(); looks++)
        {
            if (looks == MostLooks) throw Hung(what);
            await Task.Delay(1);
        }
    }

    /// <summary>Waits on this thread, allocating nothing, until <paramref name="condition"/> holds.</summary>
    public static void Until(Func<bool> condition, string what)
    {
        const int MostAPause = 100;
        long waited = 0, last = Environment.TickCount64;
        var spin = new SpinWait();
        while (!condition())
        {
            long now = Environment.TickCount64;
            waited += Math.Min(MostAPause, now - last);
            last = now;
            if (waited > MostSeconds * 1000) throw Hung(what);
            spin.SpinOnce(sleep1Threshold: -1);
        }
    }

    private static TimeoutException Hung(string what) => new($"Hung, waiting for: {what}.");
}
