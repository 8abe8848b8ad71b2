namespace Raceway.Analysis.Tuning;

/// <summary>A trial whose last items may still be under way when they are through its stages, such as to a receiver at the other end.</summary>
internal interface IUnderWay
{
    /// <summary>Waits for them. Called once, when all items are through, before the clock stops.</summary>
    void Complete();
}
