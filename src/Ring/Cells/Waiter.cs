namespace Raceway.Rings;

/// <summary>A waiter for one sequence on one <see cref="Progress"/> cell.</summary>
/// <remarks>Link and awaited sequence belong to the cell's gate while armed. Armed on one cell at a time.</remarks>
internal abstract class Waiter
{
    internal Waiter? NextArmed;
    internal long Awaited;

    /// <summary>Called once for an arming, outside the gate, on the thread that advanced the cell.</summary>
    internal abstract void Signal();
}
