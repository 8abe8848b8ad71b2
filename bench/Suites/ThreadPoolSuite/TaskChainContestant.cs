using Raceway.Measuring;

namespace Raceway.Suites.ThreadPoolSuite;

/// <summary>Chains of tasks: as many loops as are to be under way, each runs one chain after another.</summary>
public sealed class TaskChainContestant(string name, ChainShape shape, Func<Chain, int, Task> run)
    : ScenarioContestant(name)
{
    private Chain[] _chains = [];

    /// <inheritdoc/>
    public override int BusyThreads => shape.Parallel;

    /// <inheritdoc/>
    protected override long Rounded(long operations) => shape.Rounded(operations);

    /// <inheritdoc/>
    protected override void Prepare(long operations) =>
        _chains = [.. Enumerable.Range(0, shape.Parallel).Select(static _ => new Chain())];

    /// <inheritdoc/>
    protected override void Work(long operations, CancellationToken cancellation)
    {
        long each = operations / shape.Depth / shape.Parallel;
        Task.WaitAll([.. _chains.Select(chain => Task.Run(() => Loop(chain, each, cancellation), CancellationToken.None))], CancellationToken.None);
    }

    /// <inheritdoc/>
    protected override bool Finish(long operations, out IReadOnlyList<Count> further)
    {
        further = [];
        return Array.TrueForAll(_chains, chain => chain.Hops == operations / shape.Parallel);
    }

    private async Task Loop(Chain chain, long chains, CancellationToken cancellation)
    {
        for (long i = 0; i < chains && !cancellation.IsCancellationRequested; i++)
            await run(chain, shape.Depth).ConfigureAwait(false);
    }
}
