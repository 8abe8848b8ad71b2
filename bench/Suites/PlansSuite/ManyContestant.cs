using Raceway.Measuring;

namespace Raceway.Suites.PlansSuite;

/// <summary>Several of one contestant at the same time, each with a thread that publishes its share of the items.</summary>
/// <param name="name">The name in the rows.</param>
/// <param name="parts">The contestants, one or more.</param>
internal sealed class ManyContestant(string name, IReadOnlyList<PlanContestant> parts) : ScenarioContestant(name), IDisposable
{
    /// <inheritdoc/>
    public override int BusyThreads => parts.Sum(static part => part.BusyThreads);

    /// <inheritdoc/>
    public override string? Note => parts[0].Note;

    /// <inheritdoc/>
    public void Dispose()
    {
        foreach (PlanContestant part in parts) (part as IDisposable)?.Dispose();
    }

    /// <inheritdoc/>
    protected override long Rounded(long operations) => Math.Max(1, operations / parts.Count) * parts.Count;

    /// <inheritdoc/>
    protected override void Prepare(long operations)
    {
        foreach (PlanContestant part in parts) part.PrepareShare(operations / parts.Count);
    }

    /// <inheritdoc/>
    protected override void Work(long operations, CancellationToken cancellation) => Task.WaitAll(
        [.. parts.Select(part => Task.Factory.StartNew(
            () => part.WorkShare(operations / parts.Count, cancellation), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default))],
        CancellationToken.None);

    /// <inheritdoc/>
    protected override bool Finish(long operations, out IReadOnlyList<Count> further)
    {
        further = [];
        return parts.Count(part => part.FinishShare(operations / parts.Count)) == parts.Count;
    }
}
