namespace Raceway.Interop.Tests.Support;

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
        await ((Task)task).OrHang();
        return await task;
    }

    public static async Task OrHang(this Task task)
    {
        for (int seconds = 0; seconds < MostSeconds && !task.IsCompleted; seconds++)
            await Task.WhenAny(task, Task.Delay(TimeSpan.FromSeconds(1)));
        if (!task.IsCompleted) throw new TimeoutException("Hung, waiting for a task.");
        await task;
    }

    /// <summary>Waits until <paramref name="condition"/> holds, without holding the processor.</summary>
    public static async Task UntilAsync(Func<bool> condition, string what)
    {
        for (int looks = 0; !condition(); looks++)
        {
            if (looks == MostLooks) throw new TimeoutException($"Hung, waiting for: {what}.");
            await Task.Delay(1);
        }
    }
}
