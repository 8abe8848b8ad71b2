using Raceway.Measuring;

namespace Raceway.Suites.ThreadPoolSuite;

/// <summary>A work item a hop: each queues the next one of its chain, and the last one the next chain.</summary>
/// <param name="shape">The case.</param>
/// <param name="local">Into the queue of the pool's thread, instead of the one of all.</param>
public sealed class WorkItemContestant(ChainShape shape, bool local)
    : ScenarioContestant(local ? "quwi-local-queues" : "quwi-no-queues")
{
    private Hopper[] _hoppers = [];
    private CountdownEvent? _running;

    /// <inheritdoc/>
    public override int BusyThreads => shape.Parallel;

    /// <inheritdoc/>
    protected override long Rounded(long operations) => shape.Rounded(operations);

    /// <inheritdoc/>
    protected override void Prepare(long operations)
    {
        _running = new CountdownEvent(shape.Parallel);
        _hoppers = [.. Enumerable.Range(0, shape.Parallel)
            .Select(_ => new Hopper(operations / shape.Parallel, local, _running))];
    }

    /// <inheritdoc/>
    protected override void Work(long operations, CancellationToken cancellation)
    {
        foreach (Hopper hopper in _hoppers) hopper.Queue();
        _running!.Wait(CancellationToken.None);
    }

    /// <inheritdoc/>
    protected override bool Finish(long operations, out IReadOnlyList<Count> further)
    {
        further = [];
        _running!.Dispose();
        return Array.TrueForAll(_hoppers, hopper => hopper.Chain.Hops == operations / shape.Parallel);
    }

    private sealed class Hopper(long hops, bool local, CountdownEvent running)
    {
        private static readonly Action<Hopper> s_hop = static hopper => hopper.Hop();

        public Chain Chain { get; } = new();

        public void Queue() => ThreadPool.QueueUserWorkItem(s_hop, this, preferLocal: local);

        private void Hop()
        {
            Chain.Hop();
            if (Chain.Hops < hops) Queue();
            else running.Signal();
        }
    }
}
