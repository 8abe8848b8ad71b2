using Raceway.Interop.Distributed;
using Raceway.Interop.Journal;
using Raceway.Interop.RabbitMq;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Accounts;

/// <summary>The service: recovers, replays, works off the commands that are left.</summary>
internal static class Service
{
    private const int Capacity = 1024;

    public static async Task RunAsync(string folder)
    {
        await using RabbitMqTransport? rabbit = Rabbit.Connect();
        ILinkTransport transport = rabbit ?? (ILinkTransport)new InMemoryBroker().Connect();

        var bank = new Bank();
        using Journal<Command> journal = Store.Open(folder);
        if (journal.Snapshots.Latest is { } latest) bank.Restore(latest);
        long snapshot = bank.Next;
        using var output = new Output(folder);
        // The journal cannot know that its end was lost. What lies outside of it can: replies were given for what is not there.
        if (output.Next < snapshot || output.Next > journal.Found.Next)
            throw new InvalidDataException(
                $"The replies end at {output.Next}, and must reach from the snapshot ({snapshot}) to the journal's end ({journal.Found.Next}) at most. "
                + "Restore what was lost from a copy.");

        await using Replica replica = await Replica.StartAsync(folder, transport);
        await using LinkSender<Command> link = await LinkSender<Command>.OpenAsync(
            transport, Replica.LinkOf(folder), ItemCodec.Unmanaged<Command>(), static (ref readonly Command _) => 0);
        await using LinkSource<Command>? source = rabbit is null ? null : Rabbit.SourceOf(folder, journal);
        PipelineBuilder<Command, Command> definition = Pipeline.Of<Command>(Capacity)
            .Fork(
                one => one.Stage("journal", journal),
                two => two.Stage("replicate", link, Dispatch.Batch(max: Capacity)))
            .Stage("logic", bank)
            .Stage("output", output)
            .Stage("snapshot", new SnapshotStage(journal, bank, replica));
        // Behind all others: the broker forgets a command when its reply is given.
        if (source is not null) definition.Stage("acknowledge", source.Acknowledger);
        await using Pipeline<Command> pipeline = definition.Run();

        using (SingleProducer<Command> producer = pipeline.CreateProducer())
        {
            long replayed = journal.Replay(producer, snapshot);
            Console.WriteLine($"snapshot at {snapshot}, {replayed} commands replayed, commands from {journal.Found.Next} on are new");
            if (source is null) Commands.Publish(folder, journal.Found.Next, producer);
        }

        if (source is not null) await Rabbit.ReceiveAsync(source, transport, pipeline, () => output.Next == Commands.Count);
        DrainResult drained = await pipeline.DrainAsync(TimeSpan.FromMinutes(5));
        if (!drained.IsDrained) throw new InvalidDataException($"{drained}");
        await replica.ReachAsync(Commands.Count);
        Console.WriteLine($"done: {output.Next} replies, state hash {bank.Hash}, replica {replica.Hash}");
    }
}
