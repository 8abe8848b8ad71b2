namespace Raceway.Rings;

/// <summary>How a stage waits that its group has parted to do more: on its thread, for up to 50 µs at a time.</summary>
/// <remarks>
/// <para><b>Why.</b> Stages are apart where each of them has something to do for most of the time. One that armed as soon as it finds
/// nothing would be made ready by the stage before it. That one's thread would go on with it, and leave its own stage to a thread that has to
/// wake up. So the two would change threads with each batch, and mostly one of them would be stepped at a time. A stage that looks again
/// finds its items while the one before it works on, and both keep their threads.</para>
/// <para>Between two looks the thread gives its processor away: the producer may need it, or the thread of another stage.</para>
/// <para>Where its items came soon before, the stage stays ready behind that (<see cref="Staying"/>), and lingers with each of these steps.</para>
/// <para>The first stage then lets some items gather (<see cref="AdaptiveWaiting.Gather"/>).</para>
/// </remarks>
internal static class Lingering
{
    // A batch of another stage, and the producer's turn behind it.
    private static readonly long s_most = Clock.Ticks(TimeSpan.FromMicroseconds(50));

    /// <summary>Whether the thread may wait for its stage: no other unit is ready. One that is gets a thread that is woken, if this one does not
    /// come to it first: each stage that is apart is to have a thread.</summary>
    /// <param name="ready">Where the stage's driver waits for a thread.</param>
    /// <param name="thread">The calling thread.</param>
    public static bool MayBegin(ReadyQueue ready, PoolThread thread)
    {
        // What becomes ready while it waits is not to wait for it either: the system may give its processor back late.
        ready.TakesLong(thread);
        return !ready.HasReady;
    }

    /// <summary>Waits for <paramref name="target"/> while no other unit is ready; whether it has come, or the ring has changed.</summary>
    /// <param name="target">What the stage waits for.</param>
    /// <param name="ready">Where its driver waits for a thread.</param>
    /// <param name="thread">The calling thread. It has read the clock behind the wait.</param>
    /// <param name="waiting">How its driver waits.</param>
    /// <param name="since">When the step began that has found nothing.</param>
    /// <param name="goesOn">Whether the wait is counted already.</param>
    public static bool Finds(
        in WaitTarget target, ReadyQueue ready, PoolThread thread, AdaptiveWaiting waiting, long since, bool goesOn = false)
    {
        waiting.Stay(target.Stall, since, goesOn);
        while (!target.IsOver && !ready.HasReady && !IsDue(target) && MachineClock.Now - since < s_most) Thread.Yield();
        if (target.Cell.IsReached(target.Awaited)) waiting.Gather(target);
        bool finds = target.IsOver;
        thread.Now = MachineClock.Now;
        if (finds) waiting.Stalls.End(thread.Now, 0);
        return finds;
    }

    // The clock may be the user's: it is asked where there is something to ask.
    private static bool IsDue(in WaitTarget target) => target.HasDeadline && target.IsDue;
}
