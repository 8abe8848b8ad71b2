using System.Collections.Concurrent;
using Raceway.Rings;

namespace Raceway.Suites.InteropSuite;

/// <summary>The end of the program: count, sum and order.</summary>
internal sealed class OrderSum : IBatchHandler<Order>
{
    private static readonly ConcurrentDictionary<long, long> s_totals = new();
    private long _count;
    private long _total;
    private bool _inOrder;

    public void Reset() => (_count, _total, _inOrder) = (0, 0, true);

    public void Take(in Order order)
    {
        _inOrder &= order.Id == _count++;
        _total += order.Total;
    }

    public void OnBatch(Batch<Order> batch)
    {
        foreach (ref Order order in batch) Take(in order);
    }

    /// <summary>Whether it is what a plain loop over as many orders gives.</summary>
    public bool IsRight(long count) => _inOrder && _count == count && _total == s_totals.GetOrAdd(count, static count =>
    {
        long total = 0;
        for (long id = 0; id < count; id++)
        {
            var order = Order.Of(id);
            order.SetTotal();
            total += order.Total;
        }

        return total;
    });
}
