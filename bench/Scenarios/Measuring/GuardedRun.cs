namespace Raceway.Scenarios.Measuring;

/// <summary>Runs a contestant so that neither an exception nor a hang of it ends the measuring.</summary>
internal static class GuardedRun
{
    // What a contestant gets after it was asked to stop, before its thread is left behind.
    private static readonly TimeSpan s_grace = TimeSpan.FromSeconds(2);

    public static RunOutcome Run(
        IContestant contestant, long operations, TimeSpan limit, CancellationToken cancellation)
    {
        // Not disposed where the run is abandoned: its threads may still look at it.
        var stop = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        Sample? sample = null;
        Exception? error = null;
        var thread = new Thread(() =>
        {
            try
            {
                sample = contestant.Run(operations, stop.Token);
            }
            catch (Exception e)
            {
                error = e;
            }
        }) { IsBackground = true, Name = "contestant" };
        thread.Start();

        bool inTime = Join(thread, limit, cancellation);
        if (!inTime && !cancellation.IsCancellationRequested) stop.Cancel();
        if (!inTime && !thread.Join(s_grace))
        {
            return cancellation.IsCancellationRequested
                ? new RunOutcome(null, null, Abandoned: true)
                : new RunOutcome(null, TooLong(limit), TooLong: true, Abandoned: true);
        }

        stop.Dispose();
        if (error is null && sample is { } done && inTime) return new RunOutcome(done, null);
        if (cancellation.IsCancellationRequested) return default;
        if (!inTime) return new RunOutcome(null, TooLong(limit), TooLong: true);
        return new RunOutcome(null, $"failed: {error!.GetType().Name}: {FirstLine(error.Message)}");
    }

    private static bool Join(Thread thread, TimeSpan limit, CancellationToken cancellation)
    {
        // A thread cannot be waited for together with a token; the slices are far shorter than anyone's patience.
        long end = Environment.TickCount64 + (long)limit.TotalMilliseconds;
        while (!thread.Join(TimeSpan.FromMilliseconds(100)))
        {
            if (cancellation.IsCancellationRequested || Environment.TickCount64 >= end) return false;
        }

        return true;
    }

    private static string TooLong(TimeSpan limit) => $"dropped: a run took more than {limit.TotalSeconds:0.#} s";

    private static string FirstLine(string text) => text.Split('\n', 2)[0].TrimEnd('\r');
}
