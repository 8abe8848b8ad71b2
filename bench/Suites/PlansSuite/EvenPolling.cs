namespace Raceway.Suites.PlansSuite;

/// <summary>The pauses of a thread that looks again and again for what another one does: short ones, all of one length.</summary>
/// <remarks>
/// The pauses of <see cref="SpinWait"/> double up to half a microsecond. What is measured ends at the next look, so 480 ns could read as 490,
/// and 500 ns as 600. Here the thread spins for about as long in all, and yields behind that as often.
/// </remarks>
internal struct EvenPolling
{
    private const int MostShort = 50; // about 3 µs
    private const int Long = 7;

    private int _short;
    private bool _yielded;

    /// <summary>Before the next look.</summary>
    public void Pause()
    {
        if (_short < MostShort && Environment.ProcessorCount > 1)
        {
            _short++;
            Thread.SpinWait(1);
            return;
        }

        _yielded = !_yielded;
        if (_yielded) Thread.Yield();
        else Thread.SpinWait(Long);
    }

    /// <summary>It was there.</summary>
    public void Found() => (_short, _yielded) = (0, false);
}
