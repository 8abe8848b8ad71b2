using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Raceway.Rings;

/// <summary>How far something has come, and the waiters for it: the one primitive behind all waiting.</summary>
/// <remarks>
/// <para>The cursor, every stage, and room for producers are each a Progress.</para>
/// <para>Two cells, a stride apart. <c>value</c>: the highest sequence reached, written by its owner alone.
/// <c>nearest</c>: 0 = calm, no waiter; <see cref="NoWaiter"/> = parking regime, no waiter at this moment;
/// otherwise the lowest awaited sequence + 1. Two words lie behind it: the highest awaited sequence, and the fences that the
/// owner has paid since a waiter came.</para>
/// <para>Advance (owner): 1. store value (release). 2. load nearest. 3. if not 0: full fence, load again, signal the
/// waiters for sequences that are covered.</para>
/// <para>Arm (waiter): 1. under the gate link in and store nearest. 2. fence: process-wide for the first of a parking
/// regime, local after that. 3. the caller re-checks what it waits for, and sleeps only if that is still not there.</para>
/// <para>Why that is enough: steps 1–2 of Advance are a store before a load, which hardware may swap. In the parking
/// regime the owner's own fence (step 3) forbids it. On the change calm → parking the owner may have loaded 0 already; the
/// process-wide barrier then makes it either have stored its value (the re-check sees it) or load nearest anew (it
/// signals). So a publisher pays no fence until a thread parks, and the barrier is paid on the change only.
/// The barrier is issued inside the gate: a second waiter that finds the regime on may rely on it being complete.</para>
/// <para>Back to calm: an owner that has paid as many fences for no waiter as one barrier costs (<see cref="FencesOfABarrier"/>) ends
/// the parking regime. So the two together cost about twice what the better choice would, whether waiters come often or seldom.</para>
/// <para>Source of the asymmetric handshake: Dice, Huang, Yang, "Asymmetric Dekker Synchronization" (2001), with
/// membarrier(2) / FlushProcessWriteBuffers as the heavy side.</para>
/// </remarks>
internal sealed unsafe class Progress
{
    /// <summary>An awaited sequence that is never reached: woken only by <see cref="WakeAll"/>.</summary>
    public const long Never = long.MaxValue - 1;

    /// <summary>So many fences, with the calls that they are in, take some 3 µs, about as long as one process-wide barrier: that takes
    /// 0.4 µs where no other core runs the process, and up to 14 µs where one does.</summary>
    public const int FencesOfABarrier = 512;
    private const long Calm = 0;
    private const long NoWaiter = long.MaxValue;

    private readonly long* _value;
    private readonly long* _nearest;
    private readonly RingMemory _memory;
    private readonly object _gate = new();
    private Waiter? _armed;
    private readonly bool _staysParking;
    private LateWaiter _late;
    private bool _ownerFences; // under the gate: the process-wide barrier of this parking regime has been paid
    private bool _released;

    // Beside the nearest: the highest sequence that a waiter waits for, and the fences for no waiter since one came.
    private long* Farthest => _nearest + 1;
    private long* Fences => _nearest + 2;

    /// <param name="memory">Where the cells come from.</param>
    /// <param name="value">The sequence reached so far.</param>
    /// <param name="ingress">Set for the cursor of several producers: it, not the value, knows what is published.</param>
    /// <param name="staysParking">The cell is in the parking regime for good: every advance fences, no wait pays the
    /// process-wide barrier. For cells that are advanced only where a thread is likely to sleep.</param>
    /// <param name="givesWay">Its owners give their processor up to a thread that they have woken and that is late.</param>
    public Progress(RingMemory memory, long value, Ingress? ingress = null, bool staysParking = false, bool givesWay = false)
    {
        _memory = memory;
        _value = memory.Cell(value);
        _nearest = memory.Take(3);
        (Ingress, _late) = (ingress, new LateWaiter(givesWay));
        _staysParking = _ownerFences = staysParking;
        if (staysParking) *_nearest = NoWaiter;
    }

    /// <summary>What knows what is published, set while the ring is built; null where the value does.</summary>
    public Ingress? Ingress { get; set; }

    /// <summary>Address of the value, for producers that keep it in a register.</summary>
    public long* ValueCell => _value;

    /// <summary>Address of the nearest awaited sequence, for the same.</summary>
    public long* NearestCell => _nearest;

    /// <summary>Process-wide barriers issued so far: changes of regime calm → parking.</summary>
    public long RegimeChanges { get; private set; }

    /// <summary>How often its owners have given their processor up to a thread that was late.</summary>
    public long GaveWay => _late.GaveWay;

    /// <summary>Whether the ring is sealed (acquire).</summary>
    public bool IsReleased => Volatile.Read(ref _released);

    /// <summary>The sequence reached, with acquire: what was written before it was stored is visible after.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public long ReadAcquire() => Volatile.Read(ref *_value);

    /// <summary>Whether <paramref name="sequence"/> is there (acquire).</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool IsReached(long sequence) =>
        Ingress is { } ingress ? sequence != Never && ingress.IsPublished(sequence) : Volatile.Read(ref *_value) >= sequence;

    /// <summary>Moves to <paramref name="sequence"/>. Owner only.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Advance(long sequence)
    {
        if (Store(sequence)) Signal(long.MinValue, sequence);
    }

    /// <summary>The same but for the signal. True: <see cref="Signal"/> must be called.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool Store(long sequence)
    {
        Debug.Assert(Volatile.Read(ref *_value) <= sequence, "Progress never goes back.");
        // ORDER: release; pairs with ReadAcquire. The store-load pair below is made right by Arm's barrier, see above.
        Volatile.Write(ref *_value, sequence);
        return Volatile.Read(ref *_nearest) != Calm;
    }

    /// <summary>Moves to <paramref name="sequence"/>, unless it is further already. For a cell of several owners.</summary>
    public void AdvanceTo(long sequence)
    {
        for (long value = Volatile.Read(ref *_value), seen; value < sequence; value = seen)
        {
            // ORDER: full; pairs with ReadAcquire, and goes before Signal's load as Advance's store does.
            seen = Interlocked.CompareExchange(ref *_value, sequence, value);
            if (seen != value) continue;
            Signal(long.MinValue, sequence);
            return;
        }
    }

    /// <summary>Sets the value while no thread can depend on the old one (attach, under the lifecycle gate).</summary>
    public void Reposition(long sequence) => Volatile.Write(ref *_value, sequence);

    /// <summary>Wakes the waiters for <paramref name="low"/> to <paramref name="high"/>. If none does, it may yield to one that is late.</summary>
    /// <returns>False once the ring is sealed: what was published may be late.</returns>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public bool Signal(long low, long high)
    {
        // ORDER: full; pairs with the fence in Arm. Without it the load below may pass the caller's store of its value.
        Interlocked.MemoryBarrier();
        long nearest = Volatile.Read(ref *_nearest);
        // Released: stages may still be at work, and asleep, until what came in time is handled.
        bool lives = !Volatile.Read(ref _released);
        if (nearest == NoWaiter && !_staysParking) CountFence();
        bool isAwaited = nearest != Calm && high >= nearest - 1 && low <= Volatile.Read(ref *Farthest);
        Waiter? woken = isAwaited ? Take(low, high) : null;
        SignalAll(woken);
        _late.Signalled(woken);
        return lives;
    }

    /// <summary>Links <paramref name="waiter"/> in. The caller must re-check what it waits for before it sleeps.</summary>
    public void Arm(Waiter waiter, long awaited)
    {
        Gate.Enter(_gate);
        Link(waiter, awaited);
        // ORDER: full; pairs with Signal's fence (parking) or with the plain Advance of a calm owner (process-wide).
        if (!_ownerFences)
        {
            _ownerFences = true;
            RegimeChanges++;
            Interlocked.MemoryBarrierProcessWide();
        }
        else
        {
            Interlocked.MemoryBarrier();
        }

        Gate.Exit(_gate);
    }

    /// <summary>Links <paramref name="waiter"/> in without any barrier: a wake-up may be missed, so its sleep is timed.</summary>
    public void ArmUnfenced(Waiter waiter, long awaited)
    {
        Gate.Enter(_gate);
        Link(waiter, awaited);
        Gate.Exit(_gate);
    }

    /// <summary>Takes <paramref name="waiter"/> back; false when it has been, or is just being, signalled.</summary>
    public bool Disarm(Waiter waiter)
    {
        bool found = false;
        Gate.Enter(_gate);
        Waiter? rest = _armed;
        _armed = null;
        while (rest is not null)
        {
            Waiter? next = rest.NextArmed;
            if (ReferenceEquals(rest, waiter)) found = true;
            else Push(ref _armed, rest);
            rest = next;
        }

        // Not linked: a calm cell stays calm.
        if (found) StoreNearest();
        Gate.Exit(_gate);
        return found;
    }

    /// <summary>The owner's: leaves the parking regime if there is no waiter, and publishes without a fence from then on.</summary>
    public void LeaveParkingRegime()
    {
        Debug.Assert(!_staysParking, "A cell that stays parking is never calm.");
        if (Volatile.Read(ref *_nearest) != NoWaiter) return;
        Gate.Enter(_gate);
        if (_armed is null && !_released)
        {
            _ownerFences = false;
            Volatile.Write(ref *_nearest, Calm);
        }

        Gate.Exit(_gate);
    }

    /// <summary>Signals every waiter, reached or not: the state of the ring has changed.</summary>
    public void WakeAll()
    {
        Gate.Enter(_gate);
        Waiter? woken = _armed;
        _armed = null;
        if (woken is not null) StoreNearest();
        Gate.Exit(_gate);
        SignalAll(woken);
    }

    /// <summary>The ring is sealed: from now on every <see cref="Signal"/> says so.</summary>
    public void Release()
    {
        Gate.Enter(_gate);
        Volatile.Write(ref _released, true);
        Volatile.Write(ref *_nearest, NoWaiter);
        Gate.Exit(_gate);
        WakeAll();
    }

    private Waiter? Take(long low, long high)
    {
        Waiter? taken = null;
        Gate.Enter(_gate);
        Waiter? waiter = _armed;
        _armed = null;
        while (waiter is not null)
        {
            Waiter? next = waiter.NextArmed;
            if (waiter.Awaited >= low && waiter.Awaited <= high) Push(ref taken, waiter);
            else Push(ref _armed, waiter);
            waiter = next;
        }

        StoreNearest();
        Gate.Exit(_gate);
        return taken;
    }

    // A fence for no waiter. Of several owners one may overwrite what the others have counted: then the regime ends later. The count
    // begins anew also where a waiter for Never, which looks like none here, keeps the owner from leaving.
    private void CountFence()
    {
        long fences = Volatile.Read(ref *Fences) + 1;
        bool leaves = fences >= FencesOfABarrier;
        Volatile.Write(ref *Fences, leaves ? 0 : fences);
        if (leaves) LeaveParkingRegime();
    }

    // Once a thread has parked the cell stays in the parking regime until its owner leaves it.
    private void StoreNearest()
    {
        long nearest = NoWaiter;
        long farthest = long.MinValue;
        for (Waiter? waiter = _armed; waiter is not null; waiter = waiter.NextArmed)
        {
            // Never 0, which is calm: a waiter for what is there from the start must not hide the others.
            nearest = Math.Min(nearest, Math.Max(waiter.Awaited, 0) + 1);
            farthest = Math.Max(farthest, waiter.Awaited);
        }

        Debug.Assert(Gate.IsHeld(_gate), "The list of waiters belongs to the gate.");
        Debug.Assert(nearest != Calm, "A cell with a waiter is not calm.");
        // ORDER: farthest before nearest; Signal loads them the other way round.
        Volatile.Write(ref *Farthest, farthest);
        Volatile.Write(ref *_nearest, nearest);
    }

    private void Link(Waiter waiter, long awaited)
    {
        waiter.Awaited = awaited;
        Push(ref _armed, waiter);
        Volatile.Write(ref *Fences, 0);
        StoreNearest();
    }

    private static void Push(ref Waiter? list, Waiter waiter) => (waiter.NextArmed, list) = (list, waiter);

    private static void SignalAll(Waiter? woken)
    {
        while (woken is not null)
        {
            // Once signalled the waiter may arm again and reuse its link.
            Waiter? next = woken.NextArmed;
            woken.NextArmed = null;
            woken.Signal();
            woken = next;
        }
    }
}
