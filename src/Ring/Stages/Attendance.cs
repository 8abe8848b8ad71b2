namespace Raceway.Rings;

/// <summary>The waits that count as a stage's: those of its driver, and of the ones before.</summary>
/// <remarks>Immutable. A stage that gets another driver gets another one of these: its counts go on from where they were.</remarks>
/// <param name="Waiting">How the stage's driver waits now.</param>
/// <param name="Before">The waits of its drivers before, less those of <paramref name="Waiting"/> by then.</param>
internal sealed record Attendance(Waiting Waiting, WaitCounts Before)
{
    /// <summary>All that counts as the stage's; a snapshot.</summary>
    public WaitCounts Counts => CountsAt(MachineClock.Now);

    /// <summary>The same stage from now on, driven by what waits so.</summary>
    public Attendance Then(Waiting waiting)
    {
        long now = MachineClock.Now;
        return new Attendance(waiting, CountsAt(now) - waiting.CountsAt(now));
    }

    private WaitCounts CountsAt(long now) => Before + Waiting.CountsAt(now);
}

/// <summary>What a driver has waited.</summary>
/// <param name="Times">Where its time has gone.</param>
/// <param name="Waits">Waits entered.</param>
/// <param name="Parks">Those that held no thread.</param>
/// <param name="Interrupts">Interrupts swallowed in them.</param>
internal readonly record struct WaitCounts(StallTimes Times, long Waits, long Parks, long Interrupts)
{
    public static WaitCounts operator +(in WaitCounts one, in WaitCounts other) => new(
        one.Times + other.Times, one.Waits + other.Waits, one.Parks + other.Parks, one.Interrupts + other.Interrupts);

    public static WaitCounts operator -(in WaitCounts one, in WaitCounts other) => new(
        one.Times - other.Times, one.Waits - other.Waits, one.Parks - other.Parks, one.Interrupts - other.Interrupts);
}
