using System.CommandLine;
using Raceway.Interop.RabbitMq;
using Raceway.Lab.Cli;
using Raceway.RabbitBench;
using Raceway.Rings;
using RabbitMQ.Client.Exceptions;

Option<string> nodes = new("--nodes")
{
    Description = "The broker's nodes, host:port[,host:port…].",
    DefaultValueFactory = _ => Environment.GetEnvironmentVariable("RACEWAY_RABBIT_NODES") ?? "localhost:5672",
};
Option<int> items = Numbers.Option("--items", "Items of 100 bytes in frames, a round.", 10_000_000, 1, 1_000_000_000);
Option<int> singles = Numbers.Option("--singles", "Items sent one a message, a round.", 100_000, 1, 1_000_000_000);
Option<int> partitions = Numbers.Option("--partitions", "Queues of the link.", 4, 1, 1024);
Option<int> frame = Numbers.Option("--frame", "Bytes at which a frame is cut.", 64 * 1024, 256, 512 * 1024);
Option<int> rounds = Numbers.Option("--rounds", "Rounds, both ways in each.", 3, 1, 1000);
Option<string?> json = new("--json") { Description = "Writes the figures into FILE.", HelpName = "FILE" };
RootCommand command = new(
    "Items over RabbitMQ, in mini-batch frames of a link and one a message, in turns; every item is checked.\n\n"
    + "Examples:\n"
    + "  tests/Interop.Tests/RabbitMq/broker.sh with 1 dotnet run -c Release --project bench/Rabbit -- --rounds 3\n"
    + "  tests/Interop.Tests/RabbitMq/broker.sh with 3 dotnet run -c Release --project bench/Rabbit -- --json rabbit.json")
{
    nodes, items, singles, partitions, frame, rounds, json,
};
command.SetAction(async (parsed, cancellation) =>
{
    string[] at = parsed.GetRequiredValue(nodes).Split(',');
    try
    {
        var broker = new RabbitMqOptions { Nodes = at, Replicas = at.Length >= 3 ? 3 : 1 };
        using OutputFile? file = OutputFile.Open("--json", parsed.GetValue(json));
        var comparison = new Comparison(
            broker, parsed.GetValue(items), parsed.GetValue(singles), parsed.GetValue(partitions), parsed.GetValue(frame));
        await comparison.RunAsync(parsed.GetValue(rounds), Console.Out, cancellation);
        file?.Commit(comparison.WriteJson);
        if (!comparison.IsRight) return ExitCode.Failed;
        return cancellation.IsCancellationRequested ? ExitCode.Interrupted : ExitCode.Done;
    }
    catch (ArgumentException refused)
    {
        Console.Error.WriteLine(refused.Message);
        return ExitCode.Usage;
    }
    catch (Exception failure) when (failure is IOException or ToolException)
    {
        Console.Error.WriteLine(failure.Message);
        return (failure as ToolException)?.ExitCode ?? ExitCode.Failed;
    }
    catch (Exception failure) when (failure is RabbitMQClientException or RingFaultedException or TimeoutException)
    {
        Console.Error.WriteLine(
            $"The broker must stay reachable while it is measured: nodes={string.Join(',', at)}, "
            + $"{failure.GetBaseException().Message} Look at its log, and begin again.");
        return ExitCode.Failed;
    }
});
ParseResult parsed = command.Parse(args);
if (parsed.Errors.Count == 0)
    return await parsed.InvokeAsync(new InvocationConfiguration { ProcessTerminationTimeout = TimeSpan.FromSeconds(30) });
foreach (System.CommandLine.Parsing.ParseError error in parsed.Errors) Console.Error.WriteLine(error.Message);
return ExitCode.Usage;
