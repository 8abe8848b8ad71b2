namespace Raceway.Rings;

/// <summary>How a stage waits that its group has parted to do more: on its thread, for up to 200 µs at a time.</summary>
/// <remarks>
/// <para><b>Why.</b> Stages are apart where each of them has something to do for most of the time. One that armed as soon as it finds
/// nothing would be made ready by the stage before it. That one's thread would go on with it, and leave its own stage to a thread that has to
/// wake up. So the two would change threads with each batch, and mostly one of them would be stepped at a time. A stage that looks again
/// finds its items while the one before it works on, and both keep their threads.</para>
/// <para>Between two looks the thread gives its processor away: the producer may need it, or the thread of another stage.</para>
/// <para>Behind a wait in vain it arms: it does not stay ready as other units do (<see cref="Staying"/>).</para>
/// <para>The first stage then lets some items gather (<see cref="AdaptiveWaiting.Gather"/>).</para>
/// <para><b>What waits makes room.</b> How much of its time a stage waits tells which of two threads is to leave a processor (<see cref="PoolSpread"/>).</para>
/// <para>Mutable: keep it in a field that is not readonly. The thread that steps the stage owns it.</para>
/// </remarks>
internal struct Lingering
{
    /// <summary>What <see cref="Work"/> is where a unit never waits like that.</summary>
    public const int All = 1000;

    // A batch of another stage, and the turn of the thread that it shares its processor with.
    private static readonly long s_most = Clock.Ticks(TimeSpan.FromMicroseconds(200));

    // What is shorter says less about the stage than about where in a batch it is.
    private static readonly long s_counted = Clock.Ticks(TimeSpan.FromMicroseconds(200));

    private int _waitsFor; // the thousandths of its time in which it waits; read by others
    private long _waited; // since that was counted last
    private long _since; // when that was

    /// <summary>How many thousandths of its time it has lately not waited on its thread: it was stepped, or armed, or no thread was there. For any thread.</summary>
    public int Work => All - Volatile.Read(ref _waitsFor);

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
    public bool Finds(in WaitTarget target, ReadyQueue ready, PoolThread thread, AdaptiveWaiting waiting, long since)
    {
        waiting.Stay(target.Stall, since);
        while (!target.IsOver && !ready.HasReady && !IsDue(target) && MachineClock.Now - since < s_most) Thread.Yield();
        if (target.Cell.IsReached(target.Awaited)) waiting.Gather(target);
        bool finds = target.IsOver;
        thread.Now = MachineClock.Now;
        _waited += thread.Now - since;
        if (finds) waiting.Stalls.End(thread.Now, 0);
        return finds;
    }

    /// <summary>The stage is about to be stepped for a slice: what it has waited is counted now and then, a mean with what it was before.</summary>
    public void Count(long now)
    {
        long passed = now - _since;
        if (passed < s_counted) return;
        int waits = (int)(Math.Min(_waited, passed) * All / passed);
        Volatile.Write(ref _waitsFor, (_waitsFor + waits) / 2);
        (_waited, _since) = (0, now);
    }

    // The clock may be the user's: it is asked where there is something to ask.
    private static bool IsDue(in WaitTarget target) => target.HasDeadline && target.IsDue;
}
