namespace Raceway.Rings;

/// <summary>For how long a unit on the thread pool stays ready, by steps that find nothing, before it arms.</summary>
/// <remarks>
/// <para>To arm, to be signalled and to come back by the queue may take a wake-up. So where the next item came sooner than that after the
/// last one, the unit stays ready for some steps, but for no longer. Where the item did not come in time again and again, the unit arms
/// at once: then it costs nothing to wait. A wait counts from the first step that has found nothing, whether the unit stayed or not.</para>
/// <para>Mutable: keep it in a field that is not readonly. The thread that steps the unit owns it.</para>
/// </remarks>
/// <param name="wakeUp">How long a wake-up takes, in <see cref="MachineClock"/> ticks; 0: it never stays.</param>
/// <param name="most">For how many steps it stays at the most.</param>
internal struct Staying(long wakeUp, int most = Staying.MostSteps)
{
    /// <summary>For how many steps a stage stays: those of its pipeline take as many in between.</summary>
    public const int MostSteps = 16;

    /// <summary>For how many steps stages stay that are stepped together. Nothing else is stepped in between, and where cores are far
    /// from each other, the next item of a closed loop comes some microseconds later.</summary>
    public const int MostStepsOfGroup = 256;

    /// <summary>How often in a row the next item may come later than that.</summary>
    public const int MostMisses = 3;

    // So few steps are over after 1 to 2 µs: what comes later than this share of a wake-up they do not meet.
    private const int ShareOfFewSteps = 8;

    private readonly long _soon = most < MostStepsOfGroup ? wakeUp / ShareOfFewSteps : wakeUp;
    private int _steps;
    private long _since; // when the wait under way began; 0: there is none
    private int _missesLeft;

    /// <summary>Whether it has stayed since a step found something.</summary>
    public readonly bool HasStayed => _steps != 0;

    /// <summary>A step has found nothing: whether the unit stays ready for another one.</summary>
    /// <param name="now">When it began; the clock need not be read for each step.</param>
    public bool Stays(long now)
    {
        if (_since == 0) _since = now;
        if (_missesLeft == 0) return false;
        if (_steps < most && now - _since < _soon)
        {
            _steps++;
            return true;
        }

        _missesLeft--;
        return false;
    }

    /// <summary>A step has found something.</summary>
    public void Found()
    {
        _since = 0;
        if (_steps == 0) return;
        _steps = 0;
        _missesLeft = MostMisses;
    }

    /// <summary>The unit arms, or its group has it.</summary>
    public void Ends() => _steps = 0;

    /// <summary>The unit is about to be stepped again.</summary>
    /// <param name="signalled">When it was signalled, in <see cref="MachineClock"/> ticks; 0: it was not, and its wait goes on.</param>
    public void Signalled(long signalled)
    {
        if (signalled == 0) return;
        if (_since != 0 && signalled - _since < _soon) _missesLeft = MostMisses;
        _since = 0;
    }
}
