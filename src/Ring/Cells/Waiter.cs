namespace Raceway.Rings;

/// <summary>A waiter for one sequence on one <see cref="Progress"/> cell.</summary>
/// <remarks>Link and awaited sequence belong to the cell's gate while armed. Armed on one cell at a time.</remarks>
internal abstract class Waiter
{
    internal Waiter? NextArmed;
    internal long Awaited;

    /// <summary>When it was signalled, in <see cref="MachineClock"/> ticks. 0 if it has run since, or if this waiter does not tell. For any
    /// thread.</summary>
    internal virtual long SignalledAt => 0;

    /// <summary>Whether it waits for a thread that does other work, and not for a processor. A snapshot, for any thread.</summary>
    internal virtual bool AwaitsItsTurn => false;

    /// <summary>Called once for an arming, outside the gate, on the thread that advanced the cell.</summary>
    internal abstract void Signal();
}
