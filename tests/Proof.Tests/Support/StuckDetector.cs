namespace Raceway.Proof.Tests.Support;

/// <summary>Fails in seconds, with the ring's sequences, where work exists and nothing moves; never for slowness.</summary>
internal static class StuckDetector
{
    private const int LooksAtRest = 160;
    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(50);

    /// <summary>Waits for <paramref name="task"/> while something moves.</summary>
    /// <param name="task">What must complete.</param>
    /// <param name="ring">Whose sequences are dumped.</param>
    /// <param name="moved">Grows with everything that happens.</param>
    /// <param name="look">Called at every look, to check what holds at any moment; may throw.</param>
    /// <param name="what">For the message.</param>
    public static async Task Await(Task task, Ring ring, Func<long> moved, Action look, string what)
    {
        long last = moved();
        // Looks are counted, not seconds: a process that was stopped for a while has not hung.
        for (int atRest = 0; !task.IsCompleted; atRest++)
        {
            await Task.WhenAny(task, Task.Delay(s_pause));
            look();
            long now = moved();
            if (now != last) atRest = 0;
            last = now;
            if (atRest < LooksAtRest) continue;
            string dump = Watchdog.Dump(ring);
            // Whoever can still end shall do so, and leave the machine to the other tests.
            _ = ring.HaltAsync();
            Assert.Fail($"Stuck at {now}: {what}\n{dump}");
        }

        await task;
    }
}
