using Raceway.Pipelines;
using Raceway.Rings;

// A program with a pipeline that `raceway tune` can try under any settings:
//     dotnet build -c Release samples/TuneYourOwn
//     raceway tune --assembly artifacts/bin/TuneYourOwn/release/TuneYourOwn.dll --goal throughput=1,p99=1 --rate 200000
var orders = new Orders();
const int count = 10_000;

// What the tool printed is pasted here.
await using Pipeline<Order> pipeline = orders.Build(new PipelineSettings
{
    Plan = Plan.Fused,
    Dispatch = Dispatch.Batch(max: 256),
});
await pipeline.StartAsync();
SingleProducer<Order> producer = pipeline.CreateProducer();
for (long number = 0; number < count; number++)
{
    using Claim<Order> claim = producer.Claim();
    orders.Fill(ref claim.Slot, number);
    claim.Commit();
}

DrainResult result = await pipeline.DrainAsync(TimeSpan.FromSeconds(30));
Console.WriteLine($"{result.Status}: turnover {orders.Turnover}, right: {orders.Check(count)}");

/// <summary>What is published.</summary>
internal struct Order
{
    public long Number;
    public int Quantity;
    public int Cents;
    public long Total;
}

/// <summary>One trial: `raceway tune` finds this class by its interface, and makes an object for each.</summary>
internal sealed class Orders : ITrial<Order>
{
    private long _next;
    private bool _inOrder = true;

    public long Turnover { get; private set; }

    // All but the last line is the definition as it would be anyway.
    public Pipeline<Order> Build(PipelineSettings settings) => Pipeline.Of<Order>(capacity: 4096)
        .Stage("price", static (ref Order order) => order.Cents = 100 + (int)(order.Number % 900))
        .Stage("total", static (ref Order order) => order.Total = Discounted(order.Quantity * (long)order.Cents))
        .Stage("book", Book)
        .Build(settings);

    public void Fill(ref Order slot, long number)
    {
        slot.Number = number;
        slot.Quantity = 1 + (int)(number % 7);
    }

    // Computed again without a pipeline: nothing lost, nothing twice, all in order.
    public bool Check(long items)
    {
        long turnover = 0;
        for (long number = 0; number < items; number++) turnover += Discounted((1 + number % 7) * (100 + number % 900));
        return _inOrder && _next == items && Turnover == turnover;
    }

    private static long Discounted(long cents) => cents > 2_000 ? cents - cents / 50 : cents;

    private void Book(ref Order order)
    {
        _inOrder &= order.Number == _next++;
        Turnover += order.Total;
    }
}
