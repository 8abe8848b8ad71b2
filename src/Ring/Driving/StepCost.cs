namespace Raceway.Rings;

/// <summary>What the next step of a unit on the thread pool may take: the longest of the last ones, those longer ago the less.</summary>
/// <remarks>
/// <para>A handler may take long now and then: it writes a file with every hundredth call. So how long it took is forgotten by a 16th with
/// each step: what took 30 ms once counts as more than 20 µs for 113 steps.</para>
/// <para>Mutable: keep it in a field that is not readonly. The thread that steps the unit owns it, or the queue that has the unit.</para>
/// </remarks>
/// <param name="unknown">What it counts as before the first step.</param>
internal struct StepCost(long unknown)
{
    private const int ForgetShift = 4;

    private bool _isKnown;

    /// <summary>In <see cref="MachineClock"/> ticks.</summary>
    public long Ticks { get; private set; } = unknown;

    /// <summary>A step took <paramref name="took"/>.</summary>
    public void Add(long took)
    {
        Ticks = _isKnown ? Math.Max(took, Ticks - (Ticks >> ForgetShift)) : took;
        _isKnown = true;
    }
}
