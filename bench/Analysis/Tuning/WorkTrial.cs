using Raceway.Pipelines;
using Raceway.Rings;
using Raceway.Suites.Batching;

namespace Raceway.Analysis.Tuning;

/// <summary>One stage that does the real work of a case of the batching suite.</summary>
/// <param name="one">The case.</param>
internal sealed class WorkTrial(BatchingCase one) : ITrial<Job>, IUnderWay, IDisposable
{
    private readonly IBatchWork _work = one.Create("tune");

    /// <inheritdoc/>
    public Pipeline<Job> Build(PipelineSettings settings)
    {
        _work.Begin();
        var handler = new WorkHandler(one.Width) { Stage = new WorkStage(_work, latency: null) };
        return Pipeline.Of<Job>(RacewayBatching.Capacity).Stage("work", handler, Dispatch.Batch()).Build(settings);
    }

    /// <inheritdoc/>
    public void Fill(ref Job slot, long number) => slot = new Job(number, 0);

    /// <inheritdoc/>
    public void Complete() => _work.Complete();

    /// <inheritdoc/>
    public bool Check(long items) => _work.Verify(items);

    /// <inheritdoc/>
    public void Dispose() => _work.Dispose();
}
