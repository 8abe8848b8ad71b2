namespace Raceway.Rings;

/// <summary>How a stage that is apart from its group waits: on its thread, for some tens of microseconds.</summary>
/// <remarks>
/// <para><b>Why.</b> Stages are apart where each of them has something to do for most of the time. One that armed as soon as it finds
/// nothing would be made ready by the stage before it. That one's thread would go on with it, and leave its own stage to a thread that has to
/// wake up. So the two would change threads with each batch, and mostly one of them would be stepped at a time. A stage that looks again
/// finds its items while the one before it works on, and both keep their threads.</para>
/// <para>Between two looks the thread gives its processor away: the producer may need it, or the thread of another stage.</para>
/// <para>The first stage then lets some items gather (<see cref="AdaptiveWaiting.Gather"/>).</para>
/// </remarks>
internal static class Lingering
{
    // A batch of another stage, and the producer's turn behind it.
    private static readonly long s_most = Clock.Ticks(TimeSpan.FromMicroseconds(50));

    /// <summary>Waits for <paramref name="target"/> while no other unit is ready; whether it has come, or the ring has changed.</summary>
    /// <param name="target">What the stage waits for.</param>
    /// <param name="ready">Where its driver waits for a thread.</param>
    /// <param name="thread">The thread that has stepped it. It has read the clock behind the wait.</param>
    /// <param name="waiting">How its driver waits.</param>
    /// <param name="since">When the step began that has found nothing.</param>
    public static bool Finds(in WaitTarget target, ReadyQueue ready, PoolThread thread, AdaptiveWaiting waiting, long since)
    {
        waiting.Stay(target.Stall, since);
        // What becomes ready meanwhile is not to wait for this thread: the system may give its processor back late.
        ready.TakesLong(thread);
        while (!target.IsOver && !ready.HasReady && !target.IsDue && MachineClock.Now - since < s_most) Thread.Yield();
        bool finds = target.IsOver;
        if (finds) waiting.Gather(target);
        thread.Now = MachineClock.Now;
        if (finds) waiting.Stalls.End(thread.Now, 0);
        return finds;
    }
}
