using Raceway.Interop.Distributed;
using Raceway.Interop.Journal;
using Raceway.Interop.RabbitMq;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Accounts;

/// <summary>RabbitMQ in the place of the file and of the link in memory, if the environment names its nodes.</summary>
internal static class Rabbit
{
    private const int Capacity = 1024;

    public static bool IsAskedFor => Nodes is { Length: > 0 };

    private static string? Nodes => Environment.GetEnvironmentVariable("RACEWAY_RABBIT_NODES");

    /// <summary>Null if no broker is asked for.</summary>
    public static RabbitMqTransport? Connect() => !IsAskedFor ? null : new RabbitMqTransport(new RabbitMqOptions { Nodes = Nodes!.Split(','), Replicas = Nodes!.Contains(',') ? 3 : 1 });

    /// <summary>Puts all commands into the broker. Called again, it sends them again, and the service knows them.</summary>
    public static async Task FeedAsync(string folder)
    {
        await using RabbitMqTransport rabbit = Connect() ?? throw new InvalidDataException("RACEWAY_RABBIT_NODES names no broker.");
        // One partition and always the same epoch: the broker's number of a command is its offset, in every run.
        await using LinkSender<Command> link = await LinkSender<Command>.OpenAsync(
            rabbit, InputOf(folder), ItemCodec.Unmanaged<Command>(), static (ref readonly Command _) => 0,
            new LinkOptions { Producer = "feeder", Epoch = 1 });
        await using Pipeline<Command> pipeline = Pipeline.Of<Command>(Capacity)
            .Stage("send", link, Dispatch.Batch(max: Capacity)).Run();
        using SingleProducer<Command> producer = pipeline.CreateProducer();
        Commands.Publish(folder, from: 0, producer);
        DrainResult drained = await pipeline.DrainAsync(TimeSpan.FromMinutes(5));
        if (!drained.IsDrained) throw new InvalidDataException($"{drained}");
    }

    /// <summary>Takes commands from the broker; what the journal has, it drops and acknowledges.</summary>
    public static LinkSource<Command> SourceOf(string folder, Journal<Command> journal) =>
        new(InputOf(folder), ItemCodec.Unmanaged<Command>(), new LinkOptions { PositionOf = _ => journal.NextSequence - 1 });

    /// <summary>Receives until all is done. Called when the replay has ended: new commands come behind it.</summary>
    public static async Task ReceiveAsync(
        LinkSource<Command> source, ILinkTransport transport, Pipeline<Command> pipeline, Func<bool> isDone)
    {
        await source.StartAsync(transport, pipeline);
        await source.SubscribeAsync([0]);
        while (!isDone() && !pipeline.Completion.IsCompleted) await Task.Delay(10);
        source.Stop();
    }

    public static async Task DeleteAsync(string folder)
    {
        await using RabbitMqTransport? rabbit = Connect();
        if (rabbit is null) return;
        await rabbit.DeleteAsync(InputOf(folder));
        await rabbit.DeleteAsync(Replica.LinkOf(folder));
    }

    private static LinkAddress InputOf(string folder) => new($"accounts.{Path.GetFileName(folder)}.input", Partitions: 1);
}
