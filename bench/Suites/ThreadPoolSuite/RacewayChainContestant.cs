using Raceway.Measuring;
using Raceway.Pipelines;
using Raceway.Rings;
using Raceway.Suites.PlansSuite;

namespace Raceway.Suites.ThreadPoolSuite;

/// <summary>A stage a hop. The pipeline is built once and kept for all rounds, as the thread pool is.</summary>
/// <param name="name">The name in the result rows.</param>
/// <param name="depth">Stages.</param>
/// <param name="window">Items under way at most; <see langword="null"/> where only the ring limits them.</param>
/// <param name="plan">How the stages are driven.</param>
/// <param name="dispatch">How they are called.</param>
public sealed class RacewayChainContestant(string name, int depth, int? window, Plan plan, Dispatch dispatch)
    : ScenarioContestant(name), IDisposable
{
    private const int Capacity = 1024;
    private readonly Last _last = new();
    private Pipeline<long>? _pipeline;
    private SingleProducer<long>? _producer;
    private long _before;

    /// <inheritdoc/>
    public override int BusyThreads => plan is Plan.SharedRing or Plan.RingPerStage ? depth + 1 : 2;

    /// <inheritdoc/>
    public void Dispose()
    {
        if (_pipeline is null) return;
        _producer!.Dispose();
        _pipeline.DisposeAsync().AsTask().GetAwaiter().GetResult();
    }

    /// <inheritdoc/>
    protected override long Rounded(long operations) => (operations + depth - 1) / depth * depth;

    /// <inheritdoc/>
    protected override void Prepare(long operations)
    {
        if (_pipeline is null)
        {
            PipelineBuilder<long, long> builder = Pipeline.Of<long>(Capacity);
            for (int stage = 1; stage < depth; stage++) builder.Stage($"hop-{stage}", StageKind<long>.Batches(new Hop()), dispatch);
            _pipeline = builder.Stage("last", _last, dispatch).Run(plan);
            _producer = _pipeline.CreateProducer();
        }

        _before = _last.Hops;
    }

    /// <inheritdoc/>
    protected override void Work(long operations, CancellationToken cancellation) =>
        new WindowedFeed<long, NoHops>(_producer!, _last.Arrived, default).Run(operations / depth, window, cancellation);

    /// <inheritdoc/>
    protected override bool Finish(long operations, out IReadOnlyList<Count> further)
    {
        further = [];
        return _last.Hops - _before == operations;
    }

    private struct NoHops : IFiller<long>
    {
        public readonly void Fill(ref long slot, long index) => slot = 0;
    }

    private struct Hop : IBatchHandler<long>
    {
        public readonly void OnBatch(Batch<long> batch)
        {
            foreach (ref long hops in batch) hops++;
        }
    }

    // The last hop of every item, and the sum of all.
    private sealed class Last : IBatchHandler<long>
    {
        public Arrived Arrived { get; } = new();

        public long Hops { get; private set; }

        public void OnBatch(Batch<long> batch)
        {
            long hops = 0;
            foreach (ref long item in batch) hops += ++item;
            Hops += hops;
            Arrived.Add(batch.Count);
        }
    }
}
