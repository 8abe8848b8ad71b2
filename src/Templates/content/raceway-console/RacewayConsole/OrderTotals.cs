using Raceway.Rings;

namespace RacewayConsole;

/// <summary>A handler that gets items by the batch: one call for all that is there, up to the limit of its stage.</summary>
public sealed class OrderTotals : IBatchHandler<IncomingOrder>
{
    public long Orders { get; private set; }

    public long Cents { get; private set; }

    public void OnBatch(Batch<IncomingOrder> batch)
    {
        Orders += batch.Count;
        foreach (ref IncomingOrder order in batch) Cents += order.Cents;
    }
}
