namespace Raceway.Rings;

/// <summary>See <see cref="Wait.Park"/>.</summary>
internal sealed class ParkWait() : Wait("park")
{
    internal override Waiting Create(in WaitContext context) => new ParkWaiting(context, TimeSpan.Zero);
}

/// <summary>See <see cref="Wait.TimedPark"/>.</summary>
internal sealed class TimedParkWait : Wait
{
    public static readonly TimeSpan DefaultPeriod = TimeSpan.FromMilliseconds(1);

    private readonly TimeSpan _period;

    public TimedParkWait(TimeSpan period)
        : base("timed-park")
    {
        if (period < TimeSpan.FromMilliseconds(1)) throw WaitErrors.ParkPeriod(period);
        _period = period;
    }

    internal override Waiting Create(in WaitContext context) => new ParkWaiting(context, _period);
}

/// <summary>See <see cref="Wait.Async()"/>.</summary>
internal sealed class AsyncWait : Wait
{
    public static readonly TimeSpan DefaultSlice = TimeSpan.FromMicroseconds(50);

    private static readonly TimeSpan s_least = TimeSpan.FromMicroseconds(1);
    private static readonly TimeSpan s_most = TimeSpan.FromSeconds(1);

    private readonly long _slice;

    public AsyncWait(TimeSpan slice, bool cutsBatches = true)
        : base("async")
    {
        if (slice < s_least || slice > s_most) throw WaitErrors.Slice(slice);
        _slice = Clock.Ticks(slice);
        CutsBatches = cutsBatches;
    }

    internal override long? PoolSlice => _slice;

    internal override bool CutsBatches { get; }

    /// <summary>For a producer that calls a blocking method all the same.</summary>
    internal override Waiting Create(in WaitContext context) => new ParkWaiting(context, TimeSpan.Zero);
}

/// <summary>Spins for a while, then sleeps until signalled (or, timed, for a period at most).</summary>
/// <remarks>
/// The spin costs about what a wake-up costs, so it is never more than twice as costly as the better choice. After a sleep
/// that was long (spinning could not have bridged it) the spin is halved, so that a trickle of events does not burn the
/// processor; after a short one it is restored. Two clock reads a sleep.
/// <para>A producer that sleeps lets some room gather (<see cref="WaitTarget.Company"/>), for a millisecond at most: woken for
/// each batch, it would cost the stage that it waits for some microseconds each time. Such a sleep counts for as long as it was:
/// while the ring stays full, a spin brings little.</para>
/// </remarks>
internal sealed class ParkWaiting(in WaitContext context, TimeSpan period) : AdaptiveWaiting(context)
{
    private const int StepsToSpin = 64;
    private const int LeastSpinShare = 128;
    private const int MostGathering = 1; // ms

    // A sleep ends some 30 to 60 µs after its cause (the hypervisor's wake-up): shorter ones spinning would have bridged.
    private static readonly long s_bridged = Clock.Ticks(TimeSpan.FromMicroseconds(120));

    private readonly ParkWaiter _waiter = new();
    private readonly bool _interruptible = context.IsProducer;
    private readonly int _period = period == TimeSpan.Zero ? Timeout.Infinite : (int)period.TotalMilliseconds;
    private Alarms? _alarms;
    private int _spinShare = 1;
    private int _stepsAwake; // since it slept, StepsToSpin at most
    private bool _gathersInVain; // since there was something to do

    public override long Interrupts => _waiter.Interrupts;

    public override void Progressed(int count, bool more)
    {
        base.Progressed(count, more);
        _gathersInVain = false;
        if (_stepsAwake == StepsToSpin) return;
        // One large batch may be the answer to one sleep: the spin comes back with many steps alone.
        if (++_stepsAwake == StepsToSpin) _spinShare = 1;
    }

    public override void Wake() => _waiter.Wake();

    public override void ForgetWake() => _waiter.ForgetWake();

    protected override bool WaitFor(in WaitTarget target)
    {
        if (!target.IsFar && Spin(target, _spinShare)) return true;
        if (target.IsDue)
        {
            // A sleep has millisecond grain: the last of it is waited for awake.
            Thread.Yield();
            return target.IsOver;
        }

        try
        {
            Sleep(target);
        }
        finally
        {
            _alarms?.Clear();
        }

        return true;
    }

    private void Sleep(in WaitTarget target)
    {
        // Before the arming: an alarm that rings at once then finds a sleep to end.
        if ((_alarms is not null || !target.Clock.IsMachine)
            && !(_alarms ??= new Alarms(_waiter.Wake)).TrySetOther(target.Clock, target.Deadline))
            return;
        int milliseconds = MachineClock.MillisecondsUntil(target.MachineDeadline);
        long awaited = target.Awaited;
        bool gathers = target.Company > 0 && !_gathersInVain && awaited != Progress.Never;
        if (gathers)
        {
            awaited += target.Company;
            if (milliseconds == Timeout.Infinite || milliseconds > MostGathering) milliseconds = MostGathering;
        }

        if (_period != Timeout.Infinite)
        {
            if (milliseconds == Timeout.Infinite || milliseconds > _period) milliseconds = _period;
            target.Cell.ArmUnfenced(_waiter, awaited);
        }
        else
        {
            target.Cell.Arm(_waiter, awaited);
        }

        _stepsAwake = 0;
        if (target.IsOver && target.Cell.Disarm(_waiter)) return;

        CountPark();
        long from = MachineClock.Now;
        bool signalled = false;
        try
        {
            signalled = _waiter.Park(milliseconds, _interruptible);
        }
        finally
        {
            // Not signalled: take the waiter back. If that fails the signal is on its way, and its sender still walks this
            // waiter's link: it must arrive before the waiter is armed anew.
            if (!signalled && !target.Cell.Disarm(_waiter)) _waiter.AwaitSignal();
        }

        // The rest may not come soon: the next sleep is for what is asked for alone.
        if (gathers && !signalled) _gathersInVain = true;
        long now = MachineClock.Now;
        Stalls.End(now, _waiter.LastSignalAt);
        _spinShare = now - from <= s_bridged ? 1 : Math.Min(_spinShare * 2, LeastSpinShare);
    }
}
