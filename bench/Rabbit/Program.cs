using System.CommandLine;
using System.Text.Json;
using Raceway.Interop.RabbitMq;
using Raceway.RabbitBench;

Option<string> nodes = new("--nodes")
{
    Description = "The broker's nodes, host:port[,host:port…].",
    DefaultValueFactory = _ => Environment.GetEnvironmentVariable("RACEWAY_RABBIT_NODES") ?? "localhost:5672",
};
Option<long> items = new("--items") { Description = "Items of 100 bytes in frames, a round.", DefaultValueFactory = _ => 10_000_000 };
Option<long> singles = new("--singles") { Description = "Items sent one a message, a round.", DefaultValueFactory = _ => 100_000 };
Option<int> partitions = new("--partitions") { Description = "Queues of the link.", DefaultValueFactory = _ => 4 };
Option<int> frame = new("--frame") { Description = "Bytes at which a frame is cut.", DefaultValueFactory = _ => 64 * 1024 };
Option<int> rounds = new("--rounds") { Description = "Rounds, both ways in each.", DefaultValueFactory = _ => 3 };
Option<FileInfo?> json = new("--json") { Description = "Writes the figures into a file." };
RootCommand command = new(
    "Items over RabbitMQ, in mini-batch frames of a link and one a message, in turns; every item is checked.\n\n"
    + "Example: tests/Interop.Tests/RabbitMq/broker.sh with 1 dotnet run -c Release --project bench/Rabbit -- --rounds 3")
{
    nodes, items, singles, partitions, frame, rounds, json,
};
command.SetAction(async parsed =>
{
    string[] at = parsed.GetValue(nodes)!.Split(',');
    long framed = parsed.GetValue(items);
    long single = parsed.GetValue(singles);
    RabbitMqOptions broker;
    try
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(Math.Min(Math.Min(framed, single), parsed.GetValue(rounds)), 1);
        broker = new RabbitMqOptions { Nodes = at, Replicas = at.Length >= 3 ? 3 : 1 };
        await using var tried = new RabbitMqTransport(broker);
        await (await tried.OpenSenderAsync(new Raceway.Interop.Distributed.LinkAddress("bench.try", 1))).DisposeAsync();
    }
    catch (Exception refused) when (refused is ArgumentException or IOException)
    {
        Console.Error.WriteLine(refused.Message);
        return 2;
    }

    List<double> inFrames = [];
    List<double> oneByOne = [];
    bool right = true;
    for (int round = 1; round <= parsed.GetValue(rounds); round++)
    {
        (double seconds, bool isRight, string note) =
            await FramedRun.RunAsync(broker, framed, parsed.GetValue(partitions), parsed.GetValue(frame));
        inFrames.Add(framed / seconds);
        Console.WriteLine($"round {round}: frames      {framed / seconds,12:N0} items/s  verified {isRight}  ({note})");
        (double singleSeconds, bool isSingleRight) = await SingleRun.RunAsync(at[0], single);
        oneByOne.Add(single / singleSeconds);
        Console.WriteLine($"round {round}: one a message {single / singleSeconds,10:N0} items/s  verified {isSingleRight}");
        right &= isRight && isSingleRight;
    }

    // The least of one against the most of the other: no round says less.
    double times = inFrames.Min() / oneByOne.Max();
    Console.WriteLine($"frames: {inFrames.Min():N0} items/s or more; {times:F1} times one a message, or more; verified {right}");
    if (parsed.GetValue(json) is { } file)
    {
        await File.WriteAllTextAsync(file.FullName, JsonSerializer.Serialize(new
        {
            nodes = at.Length, items = framed, singles = single, partitions = parsed.GetValue(partitions), verified = right,
            framedPerSecond = inFrames, singlePerSecond = oneByOne, timesAtLeast = times,
        }));
    }

    return right ? 0 : 1;
});
return await command.Parse(args).InvokeAsync();
