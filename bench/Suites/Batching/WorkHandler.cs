using Raceway.Rings;

namespace Raceway.Suites.Batching;

/// <summary>The work of a case as a handler: a batch is one call of it.</summary>
/// <param name="width">How many jobs the work does for the price of one.</param>
internal sealed class WorkHandler(int width) : IBatchHandler<Job>, IWideHandler
{
    private Job[] _joined = [];

    /// <summary>Does the jobs. Set before a pipeline runs, for each anew.</summary>
    public WorkStage? Stage { get; set; }

    /// <inheritdoc/>
    public int Width => width;

    /// <inheritdoc/>
    public void OnBatch(Batch<Job> batch)
    {
        if (batch.Second.IsEmpty)
        {
            Stage!.Do(batch.First);
            return;
        }

        // A batch that goes over the end of the ring lies in two pieces. It is one call of the work all the same.
        if (_joined.Length < batch.Count) _joined = new Job[batch.Count];
        batch.First.CopyTo(_joined);
        batch.Second.CopyTo(_joined.AsSpan(batch.First.Length));
        Stage!.Do(_joined.AsSpan(0, batch.Count));
    }
}
