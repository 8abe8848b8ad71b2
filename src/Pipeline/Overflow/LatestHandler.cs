using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>Passes over the oldest of what waits, see <see cref="Overflow.KeepLatest{T}(int, IBatchHandler{T}, SlotAction{T}?)"/>.</summary>
internal sealed class LatestHandler<T>(int keep, IBatchHandler<T> handler, SlotAction<T>? dropped) : IBatchHandler<T>, IWrapper
{
    object IWrapper.Inner
    {
        get => handler;
        set { }
    }

    public void OnBatch(Batch<T> batch)
    {
        int excess = (int)Math.Clamp(batch.Backlog - keep, 0, batch.Count);
        if (excess == 0)
        {
            handler.OnBatch(batch);
            return;
        }

        Overflow.Drop(batch, 0, excess, dropped);
        if (excess < batch.Count) handler.OnBatch(batch.Slice(excess, batch.Count - excess));
    }
}
