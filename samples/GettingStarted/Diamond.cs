using Raceway.Pipelines;
using Raceway.Rings;

namespace GettingStarted;

/// <summary>Two branches work on the same item; the stage behind them sees it when both are done.</summary>
internal static class Diamond
{
    public static async Task RunAsync()
    {
        decimal total = 0;
        int refused = 0;
        await using Pipeline<Order> pipeline = Pipeline.Of<Order>(capacity: 1024)
            .Fork(
                static one => one.Stage("price", static (ref Order order) => order.Price = order.Pieces * 0.25m),
                static two => two.Stage("check", static (ref Order order) => order.IsValid = order.Pieces % 10 != 0))
            .Stage("book", (ref Order order) =>
            {
                if (order.IsValid) total += order.Price;
                else refused++;
            })
            .Run();

        SingleProducer<Order> producer = pipeline.CreateProducer();
        for (int pieces = 1; pieces <= 100; pieces++) producer.Publish(new Order { Pieces = pieces });

        await pipeline.DrainAsync(TimeSpan.FromSeconds(30));
        Console.WriteLine(FormattableString.Invariant($"booked {total}, refused {refused}"));
    }

    private struct Order
    {
        public int Pieces;
        public decimal Price;
        public bool IsValid;
    }
}
