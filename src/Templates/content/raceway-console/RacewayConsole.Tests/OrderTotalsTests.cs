using Raceway.Testing;

namespace RacewayConsole.Tests;

public sealed class OrderTotalsTests
{
    private static readonly IncomingOrder[] s_orders = [.. Enumerable.Range(1, 10).Select(static n => new IncomingOrder { Cents = n * n })];

    [Fact]
    public void OrderTotals_ABatch_IsAddedUp()
    {
        var totals = new OrderTotals();

        HandedBatch<IncomingOrder> handed = TestBatch.Of(s_orders).GiveTo(totals);

        Assert.Equal(s_orders.Length, handed.Done);
        Assert.Equal((10, 385), (totals.Orders, totals.Cents));
    }

    // One by one, in batches of every size, retried, and on threads under every plan: the same totals.
    [Fact]
    public void OrderTotals_AnyDispatch_AreTheSame() =>
        DispatchInvariance.Check(s_orders, static () => new OrderTotals(), static totals => (totals.Orders, totals.Cents));
}
