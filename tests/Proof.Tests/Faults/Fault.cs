namespace Raceway.Proof.Tests.Faults;

/// <summary>Something that goes wrong, under the name that its row in the table has.</summary>
/// <param name="Name">The row.</param>
/// <param name="Cells">Where it is tried.</param>
/// <param name="Run">Tries it once.</param>
internal sealed record Fault(string Name, IEnumerable<Cell> Cells, Func<Cell, Task<Seen>> Run)
{
    private static readonly Moment[] s_onThreads =
        [Moment.MiddleOfBatch, Moment.RingFull, Moment.RingEmpty, Moment.WhileDraining, Moment.WhileDisposing];

    /// <summary>Every producer kind and moment with a caller's steps, and those that differ with threads and the pool.</summary>
    public static IReadOnlyList<Cell> Everywhere { get; } =
        [.. Over(Driven.Caller, Cell.Moments),
         .. Over(Driven.Thread, s_onThreads),
         .. Over(Driven.Pool, [Moment.RingFull, Moment.RingEmpty])];

    /// <summary>One cell for each producer kind, for what does not depend on the moment.</summary>
    public static IEnumerable<Cell> Over(Driven driven, params IEnumerable<Moment> moments) =>
        from kind in Cell.Kinds from moment in moments select new Cell(kind, moment, driven);

    public static IEnumerable<Fault> All() =>
        [.. ItemFaults.All(), .. HandlerFaults.All(), .. ProducerFaults.All(), .. WaitFaults.All(), .. LifeFaults.All()];
}
