using System.Diagnostics;

namespace Raceway.Tests.Support;

/// <summary>How long a test has held a pipeline in one state, beside all the time before, by a clock of the test's own.</summary>
/// <remarks>
/// The times of a pipeline are the machine's, so a hold is a real one. It lasts until that state has taken most of the time,
/// however long other programs have held up what came before it: what the figures then show does not depend on the machine.
/// </remarks>
internal sealed class HoldClock
{
    private static readonly TimeSpan s_least = TimeSpan.FromMilliseconds(30);

    private readonly long _start = Stopwatch.GetTimestamp();
    private TimeSpan _held;

    /// <summary>Waits until the holds have taken nine tenths of the time, and this one thirty milliseconds at least.</summary>
    public async Task HoldAsync()
    {
        TimeSpan other = Stopwatch.GetElapsedTime(_start) - _held;
        TimeSpan hold = TimeSpan.FromTicks(Math.Max(s_least.Ticks, (9 * other - _held).Ticks));
        long begin = Stopwatch.GetTimestamp();
        await Watchdog.UntilAsync(() => Stopwatch.GetElapsedTime(begin) >= hold, "time that passes");
        _held += Stopwatch.GetElapsedTime(begin);
    }
}
