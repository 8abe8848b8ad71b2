namespace Raceway.Pipelines.Tests.Support;

/// <summary>Ends a test that hangs. Nothing here asserts that something is fast.</summary>
internal static class Watchdog
{
    private static readonly TimeSpan s_limit = TimeSpan.FromSeconds(10);

    public static Task OrHang(this Task task) => task.WaitAsync(s_limit);

    public static Task<TResult> OrHang<TResult>(this Task<TResult> task) => task.WaitAsync(s_limit);

    public static Task OrHang(this ValueTask task) => task.AsTask().WaitAsync(s_limit);

    public static Task<TResult> OrHang<TResult>(this ValueTask<TResult> task) => task.AsTask().WaitAsync(s_limit);

    /// <summary>Waits, allocating nothing, until <paramref name="condition"/> holds.</summary>
    public static void Until(Func<bool> condition, string what)
    {
        long end = Environment.TickCount64 + (long)s_limit.TotalMilliseconds;
        var spin = new SpinWait();
        while (!condition())
        {
            if (Environment.TickCount64 > end) throw new TimeoutException($"Hung, waiting for: {what}.");
            spin.SpinOnce(sleep1Threshold: -1);
        }
    }
}
