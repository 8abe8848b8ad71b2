namespace Raceway.Interop.Tests.Support;

/// <summary>Ends a test that hangs. Nothing here asserts that something is fast.</summary>
internal static class Watchdog
{
    private static readonly TimeSpan s_limit = TimeSpan.FromSeconds(60);

    public static Task OrHang(this Task task) => task.WaitAsync(s_limit);

    public static Task<TResult> OrHang<TResult>(this Task<TResult> task) => task.WaitAsync(s_limit);

    public static Task OrHang(this ValueTask task) => task.AsTask().WaitAsync(s_limit);

    public static Task<TResult> OrHang<TResult>(this ValueTask<TResult> task) => task.AsTask().WaitAsync(s_limit);

    /// <summary>Waits until <paramref name="condition"/> holds, without holding the processor.</summary>
    public static async Task UntilAsync(Func<bool> condition, string what)
    {
        long end = Environment.TickCount64 + (long)s_limit.TotalMilliseconds;
        while (!condition())
        {
            if (Environment.TickCount64 > end) throw new TimeoutException($"Hung, waiting for: {what}.");
            await Task.Delay(1);
        }
    }
}
