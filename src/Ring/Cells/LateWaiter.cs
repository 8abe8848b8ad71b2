namespace Raceway.Rings;

/// <summary>A waiter that a producer has woken. If its thread is late, the producer gives its processor up to it.</summary>
/// <remarks>
/// <para><b>Why.</b> The system chooses a processor for a thread that is woken. If something else runs on the other ones just then, it may
/// choose the producer's. A producer that never sleeps keeps that to the end of its time slice: the thread waits there for 3 to 4 ms,
/// beside a processor that has long been idle (decision 0030).</para>
/// <para><b>How.</b> A producer that publishes, and has no waiter to wake, looks whether the thread that was woken last has begun to run. If
/// it has not 50 µs after the signal (a wake-up mostly takes 8 to 32), the producer yields, and again after 100 µs, 200 µs and so on. If no
/// other thread is ready on its processor, that takes a microsecond or two. If one publish has woken several threads, one of them
/// counts.</para>
/// <para>Mutable: keep it in a field that is not readonly. All producers of the cell use it without a lock. Two at once may both yield, or
/// forget a late thread.</para>
/// </remarks>
/// <param name="givesWay">False: the cell never yields.</param>
internal struct LateWaiter(bool givesWay)
{
    private static readonly long s_late = Clock.Ticks(TimeSpan.FromMicroseconds(50));

    private Waiter? _woken;
    private long _patience; // how long after the signal the producer yields next

    /// <summary>How often a producer has yielded.</summary>
    public long GaveWay { get; private set; }

    /// <summary>Something was published, and <paramref name="woken"/> was signalled. Null: no waiter waits for it.</summary>
    /// <remarks>Called behind the signal: before it, another producer would take the waiter for one that runs.</remarks>
    public void Signalled(Waiter? woken)
    {
        if (!givesWay) return;
        if (woken is null)
        {
            if (Volatile.Read(ref _woken) is { } last) Look(last);
            return;
        }

        Volatile.Write(ref _patience, s_late);
        Volatile.Write(ref _woken, woken);
    }

    private void Look(Waiter last)
    {
        long since = last.SignalledAt;
        if (since == 0)
        {
            Volatile.Write(ref _woken, null);
            return;
        }

        long patience = Volatile.Read(ref _patience);
        if (MachineClock.Now - since < patience || last.AwaitsItsTurn) return;
        Volatile.Write(ref _patience, 2 * patience);
        GaveWay++;
        Thread.Yield();
    }
}
