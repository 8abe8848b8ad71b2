namespace Raceway.Scenarios.RingSuite;

/// <summary>What runs in a case: how many producers, how many stages after another, and what each stage does.</summary>
/// <param name="Producers">Threads that publish.</param>
/// <param name="Stages">Threads that handle every item, one after another; the last one checks it.</param>
/// <param name="Increments">What a stage adds to the item.</param>
/// <param name="MultiProducer">The queue must allow several producers, even where only one publishes.</param>
public sealed record RingShape(int Producers, int Stages, int Increments, bool MultiProducer = false)
{
    /// <summary>Items that a queue or ring holds.</summary>
    public const int Capacity = 65_536;

    /// <summary>Threads at work at the same time.</summary>
    public int BusyThreads => Producers + Stages;

    /// <summary>What all stages together have added to an item when it is checked.</summary>
    public long TotalIncrements => (long)Stages * Increments;
}
