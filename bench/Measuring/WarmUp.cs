namespace Raceway.Measuring;

/// <summary>Runs code until the runtime has compiled it as it stays: the one way to warm up before anything is timed.</summary>
/// <remarks>
/// The runtime replaces hot code twice, and the first replacement counts and is slow. Each time it waits until no new method has been
/// called for 100 ms, and on one processor for a second; the tool's project makes a tenth of both. So series of short runs with a pause
/// behind each are through with it soon, and one long run is not. A series in which nothing was compiled any more is the last one.
/// </remarks>
internal static class WarmUp
{
    private const int LeastSeries = 3, LeastInNoTime = 2;
    private const int MostSeries = 16;

    /// <summary>Methods that this process has compiled, each of them as often as it was.</summary>
    public static long Compiled => System.Runtime.JitInfo.GetCompiledMethodCount(currentThread: false);

    /// <summary>Runs series until one of them compiles nothing.</summary>
    /// <param name="series">Calls all that is going to be measured; it is told how many series there were.</param>
    /// <param name="compiled">Methods compiled so far, where the code runs.</param>
    /// <param name="pause">Behind each series.</param>
    /// <param name="budget">After it no series is begun but the least: nothing is measured cold because its time is short.</param>
    /// <param name="isStopped">Whether there is no time at all any more.</param>
    /// <param name="cancellation">Ends a pause early.</param>
    /// <returns>False where the time was up before that.</returns>
    public static bool Run(
        Action<int> series, Func<long> compiled, TimeSpan pause, TimeBudget budget, Func<bool> isStopped, CancellationToken cancellation)
    {
        long before = compiled();
        for (int n = 0; n < MostSeries; n++)
        {
            if (isStopped() || (n >= LeastInNoTime && budget.IsOver)) return false;
            series(n);
            cancellation.WaitHandle.WaitOne(pause);
            long now = compiled();
            if (n >= LeastSeries - 1 && now == before) return true;
            before = now;
        }

        return false;
    }
}
