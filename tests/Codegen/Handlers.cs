using Raceway.Rings;

namespace Raceway.Codegen;

/// <summary>An item that is a reference.</summary>
internal sealed class Item
{
    public long Value;
}

internal struct EventSum : IEventHandler<long>
{
    private long _sum;

    public void OnEvent(ref long item, long sequence, bool endOfBatch) => _sum += item;
}

internal struct EventTouch : IEventHandler<Item>
{
    private long _sum;

    public void OnEvent(ref Item item, long sequence, bool endOfBatch) => _sum += item.Value;
}

internal sealed class EventSumClass : IEventHandler<long>
{
    private long _sum;

    public void OnEvent(ref long item, long sequence, bool endOfBatch) => _sum += item;
}

internal struct BatchSum : IBatchHandler<long>
{
    private long _sum;

    public void OnBatch(Batch<long> batch)
    {
        foreach (ref long item in batch) _sum += item;
    }
}

internal struct BatchTouch : IBatchHandler<Item>
{
    private long _sum;

    public void OnBatch(Batch<Item> batch)
    {
        foreach (ref Item item in batch) _sum += item.Value;
    }
}

internal sealed class BatchSumClass : IBatchHandler<long>
{
    private long _sum;

    public void OnBatch(Batch<long> batch)
    {
        foreach (ref long item in batch) _sum += item;
    }
}

internal sealed class BatchTouchClass : IBatchHandler<Item>
{
    private long _sum;

    public void OnBatch(Batch<Item> batch)
    {
        foreach (ref Item item in batch) _sum += item.Value;
    }
}
