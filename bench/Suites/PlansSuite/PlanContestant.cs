using System.Collections.Concurrent;
using Raceway.Measuring;

namespace Raceway.Suites.PlansSuite;

/// <summary>A contestant that puts readings through the five stages; what must come out is computed by a plain loop.</summary>
internal abstract class PlanContestant(string name, int heavy) : ScenarioContestant(name)
{
    private static readonly ConcurrentDictionary<(int Heavy, long Items), (ulong, ulong, bool)> s_expected = new();
    private readonly int _heavy = heavy;

    /// <summary>What the stages do.</summary>
    protected ReadingWork Stages { get; } = new(heavy);

    /// <summary>What comes out.</summary>
    protected ReadingSum Sum { get; } = new();

    /// <summary>The index of an item to publish wrongly: the round must then not be verified.</summary>
    public long? CorruptItem { get; set; }

    /// <inheritdoc/>
    protected override void Prepare(long operations) => Sum.Reset();

    /// <inheritdoc/>
    protected override bool Finish(long operations, out IReadOnlyList<Count> further)
    {
        further = [];
        return Sum.Result == s_expected.GetOrAdd((_heavy, operations), static key => Expected(key.Heavy, key.Items));
    }

    /// <summary>A round in three parts, for a contestant that runs several at once: what <see cref="ScenarioContestant.Run"/> does before it is timed.</summary>
    internal void PrepareShare(long operations) => Prepare(operations);

    /// <summary>What is timed, by one thread.</summary>
    internal void WorkShare(long operations, CancellationToken cancellation) => Work(operations, cancellation);

    /// <summary>What comes behind it: whether the result is right.</summary>
    internal bool FinishShare(long operations) => Finish(operations, out _);

    /// <summary>Runs the five stages over one item.</summary>
    internal static void RunOne(ReadingWork work, ReadingSum sum, long index, long? corrupt)
    {
        Reading reading = default;
        Priced priced = default;
        Scored scored = default;
        Folded folded = default;
        ReadingWork.Fill(ref reading, index);
        if (index == corrupt) reading.Value++;
        work.Check(ref reading);
        work.Price(ref reading, ref priced);
        work.Score(ref priced, ref scored);
        work.Fold(ref scored, ref folded);
        sum.Take(folded.Id, work.Close(ref folded));
    }

    private static (ulong, ulong, bool) Expected(int heavy, long items)
    {
        var work = new ReadingWork(heavy);
        var sum = new ReadingSum();
        for (long i = 0; i < items; i++) RunOne(work, sum, i, null);
        return sum.Result;
    }
}
