using Raceway.Pipelines;
using Raceway.Rings;
using RacewayConsole;

// Stages work on the items in order, each on the slot that the stage before it has written. Pipeline is written in full, so that
// a project may have that name.
var totals = new OrderTotals();
await using Pipeline<IncomingOrder> pipeline = global::Raceway.Pipelines.Pipeline.Of<IncomingOrder>(capacity: 1024)
    .Stage("parse", static (ref IncomingOrder order) => order.Cents = long.Parse(order.Text.AsSpan("cents=".Length)))
    .Stage("discount", static (ref IncomingOrder order) => order.Cents -= order.Cents > 5_000 ? order.Cents / 10 : 0)
    .Stage("total", totals, Dispatch.Batch(max: 256))
    .Run();

// A full ring holds the producer back. A producer belongs to one thread.
SingleProducer<IncomingOrder> producer = pipeline.CreateProducer();
for (int n = 1; n <= 10_000; n++) producer.Publish(new IncomingOrder { Text = $"cents={n}" });

// Takes no more items, and waits until every stage has handled what is there.
DrainResult result = await pipeline.DrainAsync(TimeSpan.FromSeconds(30));
Console.WriteLine($"{result.Status}: {totals.Orders} orders, {totals.Cents} cents");
