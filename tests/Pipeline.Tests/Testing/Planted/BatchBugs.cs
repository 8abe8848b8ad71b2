using Raceway.Rings;

namespace Raceway.Pipelines.Tests.Testing.Planted;

// Each class has a bug, and is its own corrected twin if it is made with isMended.

internal sealed class AveragesEachBatch(bool isMended) : IBatchHandler<long>
{
    public List<double> Averages { get; } = [];

    public void OnBatch(Batch<long> batch)
    {
        double sum = 0;
        foreach (long item in batch)
        {
            sum += item;
            if (isMended) Averages.Add(item);
        }

        if (!isMended) Averages.Add(sum / batch.Count);
    }
}

internal sealed class ForgetsTheLastItem(bool isMended) : IBatchHandler<long>
{
    public long Sum { get; private set; }

    public void OnBatch(Batch<long> batch)
    {
        // Alone, an item is not forgotten: a test with single items sees nothing.
        int end = isMended || batch.Count == 1 ? batch.Count : batch.Count - 1;
        for (int i = 0; i < end; i++) Sum += batch[i];
    }
}

internal sealed class ResetsItsSum(bool isMended) : IBatchHandler<long>
{
    private long _sum;

    public List<long> Sums { get; } = [];

    public void OnBatch(Batch<long> batch)
    {
        if (!isMended) _sum = 0;
        foreach (long item in batch) Sums.Add(_sum += item);
    }
}

internal sealed class AssumesFullBatches(bool isMended) : IBatchHandler<long>
{
    public long Sum { get; private set; }

    public void OnBatch(Batch<long> batch)
    {
        int at = 0;
        if (batch.Count > 1)
        {
            // Four at a time, as the author's batches always had a multiple of four.
            for (; isMended ? at + 4 <= batch.Count : at < batch.Count; at += 4) Sum += batch[at] + batch[at + 1] + batch[at + 2] + batch[at + 3];
        }

        for (; at < batch.Count; at++) Sum += batch[at];
    }
}

internal sealed class ReadsTheFirstSpanOnly(bool isMended) : IBatchHandler<long>
{
    public long Sum { get; private set; }

    public void OnBatch(Batch<long> batch)
    {
        foreach (long item in batch.First) Sum += item;
        if (!isMended) return;
        foreach (long item in batch.Second) Sum += item;
    }
}

internal sealed class DropsUnderLoad(bool isMended) : IBatchHandler<long>
{
    public List<long> Rows { get; } = [];

    public void OnBatch(Batch<long> batch)
    {
        int from = isMended || batch.Depth <= 4 ? 0 : batch.Count - 1;
        for (int i = from; i < batch.Count; i++) Rows.Add(batch[i]);
    }
}

internal sealed class KeepsTheBatch(bool isMended) : IAsyncBatchHandler<long>
{
    private AsyncBatch<long> _before;
    private long _lastBefore;
    private bool _any;

    public List<long> Steps { get; } = [];

    public ValueTask OnBatchAsync(AsyncBatch<long> batch, CancellationToken cancellation)
    {
        if (!isMended && _any) _lastBefore = _before[_before.Count - 1];
        foreach (long item in batch)
        {
            Steps.Add(item - _lastBefore);
            _lastBefore = item;
        }

        (_before, _any) = (batch, true);
        return ValueTask.CompletedTask;
    }
}

internal sealed class KeepsTheSlot(bool isMended) : IEventHandler<Order>
{
    private Order _dearest = new();
    private long _highest;

    public long Highest => isMended ? _highest : _dearest.Total;

    public void OnEvent(ref Order item, long sequence, bool endOfBatch)
    {
        if (!isMended && item.Total > _dearest.Total) _dearest = item;
        _highest = Math.Max(_highest, item.Total);
    }
}

internal sealed class CountsInAStaticField(bool isMended) : IBatchHandler<long>
{
    private static long s_count;
    private long _count;

    public long Count => isMended ? _count : s_count;

    public void OnBatch(Batch<long> batch)
    {
        _count += batch.Count;
        s_count += batch.Count;
    }
}

internal sealed class MarksTheNextItem(bool isMended) : IEventHandler<long>
{
    private bool _isNextMarked;

    /// <summary>Reached round the batch, as no batch gives it.</summary>
    public Slots<long>? Slots { get; set; }

    public void OnEvent(ref long item, long sequence, bool endOfBatch)
    {
        if (isMended && _isNextMarked) item = -item;
        _isNextMarked = item == 3;
        if (!isMended && item == 3) Slots![sequence + 1] *= -1;
    }
}
