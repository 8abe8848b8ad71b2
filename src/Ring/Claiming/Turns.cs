using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Raceway.Rings;

/// <summary>Keeps the producers of a multi-producer ring from starving each other: the line and its turns.</summary>
/// <remarks>
/// <para><b>Why.</b> Room goes to the producer that looks first. A producer that runs always looks first, and that makes the
/// throughput: it needs no wake-up. A producer that sleeps finds the room gone each time. So taking room out of order is not
/// forbidden; it is bounded in time.</para>
/// <para><b>Line.</b> A producer joins the line when its first wait has brought no room, or when a turn has refused it. Most
/// waits end before that, and cost nothing here.</para>
/// <para><b>Turn.</b> The first of the line takes the turn itself, when it has waited there for a quantum and no turn is in
/// force. Half the ring, or its claim if that is larger, is then kept for it: the others find that much less room. When it
/// has got its room, the turn goes on for a quantum: now this producer is the one that runs. The other half stays open to
/// all, so a turn of a slow producer costs no throughput.</para>
/// <para><b>End of a turn.</b> A quantum after the owner has got its room. A quantum after another producer has seen that
/// room, if the owner does not take it because its thread does not run; it then stands first in line. At once when the owner
/// leaves: cancelled, timed out, interrupted, refused or disposed. When the owner's patience ends without room: it then
/// stands last in line, and its patience doubles.</para>
/// <para><b>Safety.</b> A turn only lowers what a producer may take. That granted ≤ released + capacity rests on
/// <see cref="MultiClaims"/> alone. No order of memory operations is needed outside the gate: a producer that sees a
/// turn late takes one batch of credits too many, or looks once more.</para>
/// <para><b>No deadlock.</b> A producer holds nothing here but the gate, and never while it waits. A producer that a turn has
/// refused, or that sleeps behind others, has a deadline (<see cref="Behind"/>), so a wake-up that is missed delays it and no
/// more. Every turn ends by the clock, also one that needs room from producers behind it: they come before its next turn.
/// A place is left only by its own producer, so each producer gets its turn after at most one of each before it, with a
/// patience that grows until its claim fits.</para>
/// <para><b>Wake-ups.</b> While a turn is in force, only the first of the line waits for the stages. The others sleep by the
/// clock, or each batch would wake them all for nothing. When the first leaves, it wakes the next. Those sleep at once where
/// their wait can: polling would not bring them room, and each yield lowers the priority of the thread (Linux charges a whole
/// slice for it), so that it would run late when its turn comes.</para>
/// </remarks>
/// <param name="granted">One past the highest sequence that room has been taken for.</param>
/// <param name="capacity">Slots of the ring.</param>
/// <param name="memory">Where the cell comes from.</param>
internal sealed unsafe class Turns(long* granted, int capacity, RingMemory memory)
{
    private const long None = 0;
    private const int MostDoublings = 6;

    // A sleep has millisecond grain, and its last part is waited for awake: a deadline behind a turn lies a grain later.
    private static readonly long s_grain = Clock.Ticks(TimeSpan.FromMilliseconds(1));

    private readonly object _gate = new();
    private readonly long* _granted = granted;
    private readonly long* _owner = memory.Take(); // the producer with the turn; every producer that takes credits reads it
    private readonly int _half = capacity / 2;
    private long _until;  // when the turn ends; never while its owner waits for room that is not there
    private long _wanted; // how much room the owner waits for
    private long _identities;
    private long _tickets;
    private TurnPlace? _first;
    private TurnPlace? _last;

    /// <summary>How long a producer stands in line before it may take a turn, and how long a turn lasts.</summary>
    public static long Quantum { get; } = Clock.Ticks(TimeSpan.FromMilliseconds(4));

    /// <summary>How long a turn waits for room at first.</summary>
    public static long FirstPatience { get; } = 16 * Quantum;

    /// <summary>The clock, the machine's as turns are for its threads: another one in tests.</summary>
    public Func<long> Time { get; set; } = static () => MachineClock.Now;

    /// <summary>How many turns have been taken.</summary>
    public long Taken { get; private set; }

    /// <summary>A place for a further producer.</summary>
    /// <param name="waiting">How its thread waits.</param>
    /// <param name="async">How it waits without a thread.</param>
    public TurnPlace NewPlace(Waiting waiting, AsyncWaiter async) =>
        new(this, Interlocked.Increment(ref _identities), waiting, async);

    /// <summary>How many slots are kept from <paramref name="place"/> now.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public long KeptFrom(TurnPlace place)
    {
        long owner = Volatile.Read(ref *_owner);
        return place.Kept = owner == None || owner == place.Identity ? 0 : KeptBy(owner);
    }

    /// <summary>A turn has refused a producer, with <paramref name="free"/> slots free: if that is enough, the owner is late.</summary>
    public void Refused(long free)
    {
        if (free >= Volatile.Read(ref _wanted) && Volatile.Read(ref _until) == Clock.Never)
            Interlocked.CompareExchange(ref _until, Time() + Quantum, Clock.Never);
    }

    /// <summary>Takes the turn if it is due, or gives up one that has brought nothing.</summary>
    public void Ask(TurnPlace place, int count)
    {
        long now = Time();
        Gate.Enter(_gate);
        if (place.Standing == Standing.Turn)
        {
            if (now >= place.GivesUpAt)
            {
                Void(place);
                place.Patience *= 2;
                Append(place, now);
            }
            else if (!HasTurn(place, now))
            {
                Prepend(place);
            }
        }

        if (ReferenceEquals(place, _first) && now - place.Since >= Quantum && !IsInForce(now))
        {
            Remove(place);
            place.Standing = Standing.Turn;
            place.GivesUpAt = Clock.After(now, place.Patience);
            Volatile.Write(ref _wanted, count);
            Volatile.Write(ref _until, Clock.Never);
            Volatile.Write(ref *_owner, place.Identity);
            Taken++;
        }

        Gate.Exit(_gate);
    }

    /// <summary>What a producer waits for that has found no room: as much of <paramref name="target"/> as its standing allows.</summary>
    public WaitTarget Behind(TurnPlace place, in WaitTarget target)
    {
        long now = Time();
        Gate.Enter(_gate);
        if (place.Standing == Standing.Out) Append(place, now);
        long granted = Volatile.Read(ref *_granted);
        place.Rests = granted == place.Granted ? Math.Min(place.Rests + 1, MostDoublings) : 0;
        place.Granted = granted;
        bool first = ReferenceEquals(place, _first);
        place.SleepsByClock = place.Standing == Standing.Line && !first && IsInForce(now);
        // Where no producer finds room, looks become rare.
        long pause = Quantum << place.Rests;
        long deadline;
        if (place.Standing == Standing.Turn) deadline = place.GivesUpAt;
        else if (IsInForce(now)) deadline = (_until == Clock.Never ? now + pause : _until) + (place.Ticket - _first!.Ticket) * pause;
        else deadline = first && now - place.Since < Quantum ? place.Since + Quantum : now + pause;
        Gate.Exit(_gate);
        return target with
        {
            Awaited = place.SleepsByClock ? Progress.Never : target.Awaited,
            Recheck = Math.Min(target.Recheck, Clock.After(deadline, s_grain)),
            IsFar = place.SleepsByClock,
        };
    }

    /// <summary>A producer has got its room: the turn, if it is its own, lasts for a quantum from now.</summary>
    public void Served(TurnPlace place)
    {
        Gate.Enter(_gate);
        if (place.Standing == Standing.Line) Remove(place);
        else if (*_owner == place.Identity) Volatile.Write(ref _until, Time() + Quantum);
        place.Standing = Standing.Out;
        Gate.Exit(_gate);
    }

    /// <summary>A producer leaves the line, and its turn is over.</summary>
    public void Leave(TurnPlace place)
    {
        Gate.Enter(_gate);
        if (place.Standing == Standing.Line) Remove(place);
        Void(place);
        place.Standing = Standing.Out;
        Gate.Exit(_gate);
    }

    private long KeptBy(long owner)
    {
        if (Time() < Volatile.Read(ref _until)) return Math.Max(_half, Volatile.Read(ref _wanted));
        // The next look needs no clock.
        Interlocked.CompareExchange(ref *_owner, None, owner);
        return 0;
    }

    private bool IsInForce(long now) => *_owner != None && now < Volatile.Read(ref _until);

    private bool HasTurn(TurnPlace place, long now) => *_owner == place.Identity && IsInForce(now);

    // The first of the line waits for room beyond what was kept: it has to look again.
    private void Void(TurnPlace place)
    {
        Debug.Assert(Gate.IsHeld(_gate), "Turns change under the gate.");
        if (*_owner != place.Identity) return;
        Volatile.Write(ref *_owner, None);
        _first?.Wake();
    }

    private void Append(TurnPlace place, long now)
    {
        Debug.Assert(Gate.IsHeld(_gate) && place.Standing != Standing.Line, "A place is in line once.");
        place.Standing = Standing.Line;
        place.Since = now;
        place.Ticket = _tickets++;
        place.Previous = _last;
        if (_last is null) _first = place;
        else _last.Next = place;
        _last = place;
    }

    // With its old ticket: it is the oldest.
    private void Prepend(TurnPlace place)
    {
        Debug.Assert(Gate.IsHeld(_gate) && place.Standing != Standing.Line, "A place is in line once.");
        place.Standing = Standing.Line;
        place.Next = _first;
        if (_first is null) _last = place;
        else _first.Previous = place;
        _first = place;
    }

    private void Remove(TurnPlace place)
    {
        Debug.Assert(Gate.IsHeld(_gate) && place.Standing == Standing.Line, "Only what is in line leaves it.");
        bool wasFirst = ReferenceEquals(place, _first);
        if (wasFirst) _first = place.Next;
        else place.Previous!.Next = place.Next;
        if (ReferenceEquals(place, _last)) _last = place.Previous;
        else place.Next!.Previous = place.Previous;
        place.Next = place.Previous = null;
        if (wasFirst && _first is { SleepsByClock: true }) _first.Wake();
    }
}

/// <summary>Where a producer stands: not in line, in line, or with a turn and not yet with its room.</summary>
internal enum Standing
{
    Out,
    Line,
    Turn,
}

/// <summary>One producer's place in the line. Changed by the calls of that producer only, under the gate.</summary>
internal sealed class TurnPlace(Turns turns, long identity, Waiting waiting, AsyncWaiter async)
{
    internal TurnPlace? Next;
    internal TurnPlace? Previous;
    internal Standing Standing;
    internal long Ticket;
    internal long Since;     // when it joined the line
    internal long GivesUpAt; // how long its turn may wait for room
    internal long Patience = Turns.FirstPatience;
    internal long Granted;   // what had been granted when it last looked
    internal int Rests;      // looks since that changed
    internal bool SleepsByClock;
    private bool _hasWaited;

    /// <summary>Tells a turn's owner from the others.</summary>
    public long Identity { get; } = identity;

    /// <summary>How many slots were kept from it when it last looked.</summary>
    public long Kept { get; set; }

    /// <summary>Before a look for room, in a wait.</summary>
    public void Ask(int count)
    {
        if (Standing != Standing.Out) turns.Ask(this, count);
    }

    /// <summary>What to wait for after a look that found no room.</summary>
    public WaitTarget Behind(in WaitTarget target)
    {
        if (_hasWaited || Kept != 0) return turns.Behind(this, target);
        _hasWaited = true;
        return target;
    }

    /// <summary>It has found room.</summary>
    public void Served()
    {
        _hasWaited = false;
        if (Standing != Standing.Out) turns.Served(this);
        Patience = Turns.FirstPatience;
    }

    /// <summary>Its wait is over; without room, unless it has been <see cref="Served"/>.</summary>
    public void Leave()
    {
        _hasWaited = false;
        if (Standing != Standing.Out) turns.Leave(this);
        Patience = Turns.FirstPatience;
    }

    /// <summary>Its producer is disposed.</summary>
    public void Retire() => turns.Leave(this);

    internal void Wake()
    {
        waiting.Wake();
        async.Wake();
    }
}
