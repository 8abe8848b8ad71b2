using System.Threading.Channels;
using Raceway.Interop;
using Raceway.Pipelines;

// The program as it was: a source, a task that prices and a task that sums, with a channel between each two.
Channel<Order> ordersBefore = Channel.CreateBounded<Order>(1024);
Channel<Order> pricedBefore = Channel.CreateBounded<Order>(1024);
Summary before = await RunAsync(ordersBefore, pricedBefore);

// The same with Raceway: these two lines, and `using Raceway.Interop` above. The tasks are not touched.
PipelineChannel<Order, Order> ordersAfter = Pipeline.Of<Order>(capacity: 1024).RunAsChannel();
PipelineChannel<Order, Order> pricedAfter = Pipeline.Of<Order>(capacity: 1024).RunAsChannel();
Summary after = await RunAsync(ordersAfter, pricedAfter);

// And where the task in the middle may become a stage: one pipeline, which is a channel as well.
await using PipelineChannel<Order, Order> pricing =
    Pipeline.Of<Order>(capacity: 1024).Stage("price", static (ref Order order) => order.SetTotal()).RunAsChannel();
Task source = SourceAsync(pricing.Writer);
Summary staged = await SumAsync(pricing.Reader);
await source;

Console.WriteLine($"before  {before}");
Console.WriteLine($"after   {after}");
Console.WriteLine($"staged  {staged}");
Console.WriteLine($"the same: {before == after && after == staged}");

static async Task<Summary> RunAsync(Channel<Order, Order> orders, Channel<Order, Order> priced)
{
    Task source = Task.Run(() => SourceAsync(orders.Writer));
    Task pricing = Task.Run(() => PriceAsync(orders.Reader, priced.Writer));
    Summary summary = await Task.Run(() => SumAsync(priced.Reader));
    await Task.WhenAll(source, pricing);
    return summary;
}

static async Task SourceAsync(ChannelWriter<Order> to)
{
    for (int id = 0; id < 1_000_000; id++) await to.WriteAsync(new Order { Id = id, Price = 100 + id % 900 });
    to.Complete();
}

static async Task PriceAsync(ChannelReader<Order> from, ChannelWriter<Order> to)
{
    await foreach (Order order in from.ReadAllAsync())
    {
        Order priced = order;
        priced.SetTotal();
        await to.WriteAsync(priced);
    }

    to.Complete();
}

static async Task<Summary> SumAsync(ChannelReader<Order> from)
{
    var summary = new Summary(0, 0, true);
    await foreach (Order order in from.ReadAllAsync())
        summary = new Summary(summary.Orders + 1, summary.Total + order.Total, summary.InOrder && order.Id == summary.Orders);
    return summary;
}

/// <summary>What goes from task to task.</summary>
internal struct Order
{
    public long Id;
    public long Price;
    public long Total;

    public void SetTotal() => Total = Price * (1 + Id % 10);
}

/// <summary>What comes out.</summary>
internal readonly record struct Summary(long Orders, long Total, bool InOrder);
