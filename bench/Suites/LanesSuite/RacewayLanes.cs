using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Suites.LanesSuite;

/// <summary>Ours: one pipeline with keyed lanes as its only node.</summary>
/// <param name="name">In the result rows.</param>
/// <param name="shape">The case.</param>
/// <param name="plan">How router and lanes are driven.</param>
/// <param name="add">Adds the lanes, with handlers over these workers.</param>
public sealed class RacewayLanes(
    string name, LanesShape shape, Plan plan,
    Func<PipelineBuilder<KeyedItem, KeyedItem>, LanesShape, IReadOnlyList<LaneWorker>, PipelineBuilder<KeyedItem, KeyedItem>> add)
    : LanesContestant(name, shape)
{
    private LaneWorker[] _workers = [];
    private Pipeline<KeyedItem>? _pipeline;
    private SingleProducer<KeyedItem>? _producer;

    /// <inheritdoc/>
    // The router is one more; fused, all of them are one thread.
    public override int BusyThreads => plan is Plan.Fused or Plan.Auto ? 2 : Shape.Workers + 2;

    /// <inheritdoc/>
    protected override void Start()
    {
        _workers = [.. Enumerable.Range(0, Shape.Workers).Select(_ => new LaneWorker(Table))];
        _pipeline = add(Pipeline.Of<KeyedItem>(Shape.Capacity), Shape, _workers).Run(plan);
        _producer = _pipeline.CreateProducer();
    }

    /// <inheritdoc/>
    protected override void Produce(int first, int end, CancellationToken cancellation)
    {
        using OpenProducer<KeyedItem> producer = _producer!.Open();
        for (int number = first; number < end; number++) producer.Publish(ItemOf(number));
    }

    /// <inheritdoc/>
    protected override void End(CancellationToken cancellation) =>
        _pipeline!.DrainAsync(Timeout.InfiniteTimeSpan, cancellation).GetAwaiter().GetResult();

    /// <inheritdoc/>
    protected override IEnumerable<KeyTally> Stop()
    {
        _pipeline!.HaltAsync().GetAwaiter().GetResult();
        return _workers.Select(static worker => worker.Tally);
    }
}
