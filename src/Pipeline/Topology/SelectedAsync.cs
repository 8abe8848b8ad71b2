using System.Runtime.CompilerServices;
using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>An async handler with an input that selects: it is given one run of selected neighbours after another.</summary>
/// <remarks>
/// The state of the method is pooled. Now and then one is allocated, if waits between the runs end on other threads than they begin.
/// </remarks>
internal sealed class SelectedAsync<T>(SelectionSet selection, IAsyncBatchHandler<T> handler)
    : IAsyncBatchHandler<T>, IWrapper
{
    public object Inner
    {
        get => handler;
        set { }
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public async ValueTask OnBatchAsync(AsyncBatch<T> batch, CancellationToken cancellation)
    {
        int next = 0;
        while (NextRun(batch, next, out int start, out int length))
        {
            try
            {
                await handler.OnBatchAsync(batch.Slice(start, length), cancellation).ConfigureAwait(false);
            }
            catch
            {
                batch.FailAt(start, length);
                throw;
            }

            next = start + length;
        }
    }

    // The walk is a ref struct and cannot be kept across an await; to begin it anew is a few instructions.
    private bool NextRun(AsyncBatch<T> batch, int from, out int start, out int length)
    {
        var runs = new SelectedRuns(selection, batch.Sequence + from, batch.Count - from);
        bool found = from < batch.Count && runs.MoveNext();
        start = from + runs.Start;
        length = runs.Length;
        return found;
    }
}
