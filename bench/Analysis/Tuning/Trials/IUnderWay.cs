namespace Raceway.Analysis.Tuning;

/// <summary>A trial that may have items under way behind its stages, such as to a receiver at the other end.</summary>
internal interface IUnderWay
{
    /// <summary>Waits for them. Called once, when all items are through, before the clock stops.</summary>
    void Complete();
}
