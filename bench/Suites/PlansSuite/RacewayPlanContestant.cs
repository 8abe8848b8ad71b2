using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Suites.PlansSuite;

/// <summary>The five stages under one plan. The pipeline is built once and kept for all rounds.</summary>
internal sealed class RacewayPlanContestant(string name, int heavy, Plan plan, int? window = null)
    : PlanContestant(name, heavy), IDisposable
{
    private readonly Arrived _arrived = new();
    private Pipeline<Reading>? _pipeline;
    private SingleProducer<Reading>? _producer;

    /// <inheritdoc/>
    public override int BusyThreads => plan switch
    {
        Plan.SharedRing or Plan.RingPerStage => ReadingWork.Stages + 1,
        _ => 2,
    };

    /// <summary>Why the plan is what it is, where it was chosen.</summary>
    public override string? Note => _pipeline?.PlanReason;

    /// <inheritdoc/>
    public void Dispose()
    {
        if (_pipeline is null) return;
        _producer!.Dispose();
        _pipeline.DisposeAsync().AsTask().GetAwaiter().GetResult();
    }

    /// <inheritdoc/>
    protected override void Prepare(long operations)
    {
        base.Prepare(operations);
        if (_pipeline is not null) return;
        _pipeline = ReadingPipeline.Define(Stages, Sum, _arrived, Dispatch.Batch()).Run(plan);
        _producer = _pipeline.CreateProducer();
    }

    /// <inheritdoc/>
    protected override void Work(long operations, CancellationToken cancellation)
    {
        new WindowedFeed<Reading, Filler>(_producer!, _arrived, new Filler(CorruptItem)).Run(operations, window, cancellation);
        // Another thread may have the next round.
        _producer!.TryReleaseThread();
    }

    private readonly struct Filler(long? corrupt) : IFiller<Reading>
    {
        public void Fill(ref Reading slot, long index)
        {
            ReadingWork.Fill(ref slot, index);
            if (index == corrupt) slot.Value++;
        }
    }
}
