using Raceway.Pipelines;
using Raceway.Rings;
using RacewayBenchmark;

// Which dispatch, batch size, wait, capacity and plan suit these stages? The tool tries them on this machine:
//     dotnet tool install --global Raceway.Tool
//     dotnet build -c Release
//     raceway tune --assembly bin/Release/net10.0/NAME_OF_PROJECT.dll --goal throughput
var orders = new OrderTrial();
const int count = 100_000;

// Paste what the tool prints in place of these settings.
await using Pipeline<TrialOrder> pipeline = orders.Build(new PipelineSettings { Dispatch = Dispatch.Batch(max: 256) });
await pipeline.StartAsync();
SingleProducer<TrialOrder> producer = pipeline.CreateProducer();
for (long number = 0; number < count; number++)
{
    using Claim<TrialOrder> claim = producer.Claim();
    orders.Fill(ref claim.Slot, number);
    claim.Commit();
}

DrainResult result = await pipeline.DrainAsync(TimeSpan.FromSeconds(30));
Console.WriteLine($"{result.Status}: {orders.Cents} cents, right: {orders.Check(count)}");
