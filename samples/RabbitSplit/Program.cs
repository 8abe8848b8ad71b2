using System.Diagnostics;
using Raceway.Interop.Distributed;
using Raceway.Interop.RabbitMq;
using Raceway.Pipelines;
using Raceway.Rings;

// Lines are parsed, counted by key, and reported: all in one process; then the counting in three others, by configuration.
// Over RabbitMQ where RACEWAY_RABBIT_NODES names its nodes (tests/Interop.Tests/RabbitMq/broker.sh with 1 …), else in memory.
const int Lines = 60_000;
string[] workers = ["one", "two", "three"];
string? nodes = Environment.GetEnvironmentVariable("RACEWAY_RABBIT_NODES");
string run = args is ["worker", var name, _] ? name : Guid.NewGuid().ToString("n");
if (args is ["worker", _, var number])
{
    await using RabbitMqTransport rabbit = Rabbit();
    await using SplitRun<Line> counting = await Worker(rabbit, int.Parse(number, null));
    Console.WriteLine("ready");
    Console.ReadLine();
    Console.WriteLine(await counting.DrainAsync(TimeSpan.FromSeconds(30)));
    return;
}

var alone = new Report();
await using (SplitRun<Line> together = await Define(alone).RunAsync()) await Feed(together, alone);
Console.WriteLine($"one process: {alone}");

var split = new Report();
var mine = new SplitOptions { Parts = ["parse", "report"], Link = new LinkOptions { Fencing = true } };
if (nodes is null)
{
    Console.Error.WriteLine("No broker is named: the three workers run in this process, over the in-memory transport.");
    var broker = new InMemoryBroker();
    SplitRun<Line>[] counting = await Task.WhenAll(workers.Select((_, index) => Worker(broker.Connect(), index)));
    await using SplitRun<Line> here = await Define(split).RunAsync(mine with { Transport = broker.Connect() });
    await Feed(here, split);
    foreach (SplitRun<Line> one in counting) await one.DisposeAsync();
}
else
{
    Process[] counting = [.. workers.Select((_, index) => Process.Start(new ProcessStartInfo(
        Environment.ProcessPath!, ["worker", run, $"{index}"]) { RedirectStandardInput = true, RedirectStandardOutput = true })!)];
    foreach (Process one in counting) one.StandardOutput.ReadLine();
    await using RabbitMqTransport rabbit = Rabbit();
    await using (SplitRun<Line> here = await Define(split).RunAsync(mine with { Transport = rabbit })) await Feed(here, split);
    foreach (Process one in counting) one.StandardInput.WriteLine();
    foreach (Process one in counting) await one.WaitForExitAsync();
    foreach (string link in (string[])["by-key", "counted"]) await rabbit.DeleteAsync(Define(split).AddressOf(link));
}
Console.WriteLine($"counted by three workers: {split}");
RabbitMqTransport Rabbit() => new(new RabbitMqOptions { Nodes = nodes!.Split(','), Replicas = nodes.Contains(',') ? 3 : 1 });
SlotAction<Line> Counting(Dictionary<int, int> counts) => (ref Line line) => line.Nth = counts[line.Key] = counts.GetValueOrDefault(line.Key) + 1;

Task<SplitRun<Line>> Worker(ILinkTransport transport, int index) => Define(new Report()).RunAsync(
    // A worker counts in its memory: no other can stand in for it.
    new() { Parts = ["count"], Transport = transport, Workers = workers, Worker = index, StandbyAfter = Timeout.InfiniteTimeSpan });

SplitPipeline<Line> Define(Report report) => new SplitPipeline<Line>($"sample.{run}", capacity: 4096)
    .Part("parse", part => part.Stage("parse", (ref Line line) => line.Key = int.Parse($"{line.Text % 1000}", null)))
    .Link("by-key", ItemCodec.Unmanaged<Line>(), (ref readonly Line line) => line.Key, partitions: 6)
    .Part("count", part => part.Stage("count", Counting([])))
    .Link("counted", ItemCodec.Unmanaged<Line>(), (ref readonly Line line) => line.Key, partitions: 2)
    .Part("report", (part, source) => { report.Source = source; part.Stage("report", report); });

static async Task Feed(SplitRun<Line> here, Report report)
{
    SingleProducer<Line> producer = here.CreateProducer();
    for (int n = 0; n < Lines; n++) await producer.PublishAsync(new Line { Text = n });
    while (report.Items < Lines) await Task.Delay(10);
}
