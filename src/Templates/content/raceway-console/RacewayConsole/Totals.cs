using Raceway.Rings;

namespace RacewayConsole;

/// <summary>A handler that gets items by the batch: one call for all that is there, up to the limit of its stage.</summary>
public sealed class Totals : IBatchHandler<Order>
{
    public long Orders { get; private set; }

    public long Cents { get; private set; }

    public void OnBatch(Batch<Order> batch)
    {
        Orders += batch.Count;
        foreach (ref Order order in batch) Cents += order.Cents;
    }
}
