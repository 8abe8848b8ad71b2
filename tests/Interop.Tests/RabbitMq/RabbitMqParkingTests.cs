using System.Diagnostics.Metrics;
using System.Security.Cryptography;
using Raceway.Interop.Distributed;
using Raceway.Interop.RabbitMq;
using Raceway.Interop.Tests.Distributed;
using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;

namespace Raceway.Interop.Tests.RabbitMq;

/// <summary>What is parked, what is not, and what becomes of it.</summary>
[Trait("Category", "Broker")]
[Collection(Broker.Collection)]
public sealed class RabbitMqParkingTests
{
    [BrokerFact]
    public async Task Link_MessageLongerThanTheClientTakes_IsParkedAndNothingElseIs()
    {
        // The broker has 70 MB to copy beside its heartbeats.
        await using var job = new RabbitJob(configure: static options => options with { Heartbeat = TimeSpan.FromSeconds(10) });
        await job.StartSendingAsync();
        RabbitWorker worker = await job.StartWorkerAsync();
        Task feeding = job.FeedAsync(100_000);
        await job.MovesAsync(10_000);
        await PublishAsync(job.Link.QueueOf(1), new byte[70 * 1024 * 1024]);
        await feeding;
        await job.FinishAsync(100_000);
        RabbitMqTransport transport = job.Connect();
        await Broker.Until(() => job.Told(LinkEventKind.Parked) > 0, "a parked frame");
        await WaitForParkedAsync(transport, job.Link, 1);
        Assert.Equal(0, job.Told(LinkEventKind.Disconnected));
        Assert.Equal(1, worker.Source.Statistics.Parked);
        ParkedFrame parked = Assert.Single(await transport.ListParkedAsync(job.Link));
        Assert.Equal((1, 70 * 1024 * 1024, "rejected"), (parked.Partition, parked.Body.Length, parked.Reason));
        Assert.Throws<InvalidOperationException>(() => parked.Read(Keyed.Codec));
        Assert.NotNull(parked.ParkedAt);
        Assert.Equal(0, await transport.DropParkedAsync(job.Link, static one => one.Error == FrameError.None));
        Assert.Equal(1, await transport.DropParkedAsync(job.Link, static one => one.Error == FrameError.Magic));
        Assert.Empty(await transport.ListParkedAsync(job.Link));
    }

    [BrokerFact]
    public async Task Link_ConnectionsLostAgainAndAgainThenTheWorkerDies_ParksNothing()
    {
        await using var proxy = new Proxy();
        await using var job = new RabbitJob(partitions: 1, options => options with { Nodes = [proxy.Node], DeliveryLimit = 4 });
        await job.StartSendingAsync();
        var held = new TaskCompletionSource();
        RabbitWorker worker = await job.StartWorkerAsync(hold: held.Task);
        await job.FeedAsync(3000);
        await Broker.Until(() => worker.Source.Statistics.MostUnacknowledged > 0, "frames that are not handled");
        for (int round = 0; round < 25; round++)
        {
            int connected = job.Told(LinkEventKind.Connected);
            proxy.Cut();
            proxy.Mend();
            // From the limit's half on the receiver begins no session before what it has is handled: the sender alone is counted.
            await Broker.Until(() => job.Told(LinkEventKind.Connected) > connected, "another connection");
        }

        // The receiver may be slower to come back than the sender. With a frame again and one more loss, the next worker tries it.
        await Broker.Until(() => worker.Source.Statistics.Redelivered > 0, "a frame again");
        proxy.Cut();
        proxy.Mend();
        Task dying = worker.DieAsync();
        held.SetException(new IOException("killed"));
        await dying;
        RabbitWorker next = await job.StartWorkerAsync();
        await job.FinishAsync(3000);
        Assert.Equal(0, next.Source.Statistics.Parked);
        Assert.Empty(await job.Connect().ListParkedAsync(job.Link));
        Assert.Equal(0, job.Sink.Repeated());
        // They were tried: the first note makes the queue.
        await using IConnection connection = await Broker.Factory().CreateConnectionAsync();
        Assert.NotNull(await NotesAsync(connection, job.Link, 0));
    }

    [BrokerFact]
    public async Task BeginTrial_ConnectionsLostAgainAndAgain_TakesItsOwnTrialsBack()
    {
        await using var proxy = new Proxy();
        await using var job = new RabbitJob(partitions: 1, options => options with { DeliveryLimit = 1 });
        Trying handler = await Trying.BeginAsync(job, proxy);
        await using IConnection connection = await Broker.Factory().CreateConnectionAsync();
        Assert.Null(await NotesAsync(connection, job.Link, 0));
        for (int round = 1; round <= 5; round++)
        {
            proxy.Cut();
            proxy.Mend();
            await Broker.Until(() => handler.Trials.Count >= round, "the frame again, tried");
            // What was read is there again a moment later.
            await Broker.Until(() => NotesAsync(connection, job.Link, 0).GetAwaiter().GetResult() == 1, "the note");
        }

        Assert.All(handler.Trials, static trial => Assert.Equal(FrameTrial.Begun, trial));
        await handler.Receiver.EndTrialAsync(handler.Last);
        Assert.Equal(0u, await NotesAsync(connection, job.Link, 0));
    }

    // A receiver that died may have held a note, which the broker puts back once it knows: behind the end of the next trial.
    [BrokerFact]
    public async Task BeginTrial_ANoteOfAFrameThatIsGone_CountsForNothingAndGoes()
    {
        await using var proxy = new Proxy();
        await using var job = new RabbitJob(partitions: 1, options => options with { DeliveryLimit = 1 });
        Trying handler = await Trying.BeginAsync(job, proxy);
        await using IConnection connection = await Broker.Factory().CreateConnectionAsync();
        proxy.Cut();
        proxy.Mend();
        await Broker.Until(() => !handler.Trials.IsEmpty, "the frame again, tried");
        await handler.Receiver.EndTrialAsync(handler.Last);
        Assert.Equal(0u, await NotesAsync(connection, job.Link, 0));

        // Of another frame, tried by more receivers than may end with one.
        for (int i = 0; i < 3; i++) await PublishAsync(TrialNotes.QueueOf(job.Link, 0), RandomNumberGenerator.GetBytes(16 * 5));
        await Broker.Until(() => NotesAsync(connection, job.Link, 0).GetAwaiter().GetResult() == 3, "the notes");
        int tried = handler.Trials.Count;
        proxy.Cut();
        proxy.Mend();
        await Broker.Until(() => handler.Trials.Count > tried, "the frame once more, tried");
        Assert.All(handler.Trials, static trial => Assert.Equal(FrameTrial.Begun, trial));
        await Broker.Until(() => NotesAsync(connection, job.Link, 0).GetAwaiter().GetResult() == 1, "its own note alone");
        await handler.Receiver.EndTrialAsync(handler.Last);
        Assert.Equal(0u, await NotesAsync(connection, job.Link, 0));
    }

    [BrokerFact]
    public async Task Link_FramesTriedByWorkersThatLive_AreNotParked()
    {
        // Each of three workers loses its connection with the frames, and none of them ends: no number of trials is too many.
        await using var proxy = new Proxy();
        await using var job = new RabbitJob(partitions: 2, options => options with { DeliveryLimit = 1 });
        RabbitMqOptions at = job.At(0) with { Nodes = [proxy.Node] };
        await job.StartSendingAsync();
        for (int i = 0; i < 3; i++) await job.StartWorkerAsync(at);
        var over = new TaskCompletionSource();
        Task feeding = job.FeedAsync(20_000, over.Task);
        await using IConnection connection = await Broker.Factory().CreateConnectionAsync();
        bool isTried = false;
        for (int round = 0; round < 15 || !isTried; round++)
        {
            Assert.True(round < 500, "No frame is tried.");
            int connected = job.Told(LinkEventKind.Connected);
            proxy.Cut();
            proxy.Mend();
            await Broker.Until(() => job.Told(LinkEventKind.Connected) > connected, "another connection");
            for (int partition = 0; partition < 2; partition++)
                isTried |= await NotesAsync(connection, job.Link, partition) is not null;
        }

        over.SetResult();
        await feeding;
        await job.FinishAsync(job.Fed);
        Assert.Equal(0, job.Told(LinkEventKind.Parked));
        Assert.Equal(0, job.Sink.Repeated());
    }

    [BrokerFact]
    public async Task Link_FrameThatEndsItsWorkers_IsParkedAloneToldOfAndCanBePutBack()
    {
        using var counted = new Counted();
        // A worker that loses its connection counts as one that the frame has ended: silence of some seconds is no loss.
        await using var job = new RabbitJob(partitions: 2, options => options with { DeliveryLimit = 2, Heartbeat = TimeSpan.FromSeconds(5) });
        var poison = Keyed.At(7777, RabbitJob.Keys);
        await job.StartSendingAsync();
        await job.FeedAsync(10_000);
        int ended = 0;
        RabbitWorker worker;
        while (true)
        {
            // Several frames at a time, of both partitions: none of the others is parked for being near.
            worker = await job.StartWorkerAsync(prefetch: 8, poison: poison);
            await Broker.Until(
                () => worker.Pipeline.Completion.IsCompleted || job.Told(LinkEventKind.Parked) > 0, "a worker's end, or a parked frame");
            if (!worker.Pipeline.Completion.IsCompleted) break;
            ended++;
            await worker.DieAsync();
        }

        Assert.Equal(3, ended);
        RabbitMqTransport transport = job.Connect(listener: static _ => { });
        await WaitForParkedAsync(transport, job.Link, 1);
        ParkedFrame parked = Assert.Single(await transport.ListParkedAsync(job.Link));
        IReadOnlyList<Keyed> items = parked.Read(Keyed.Codec);
        Assert.Contains(poison, items);
        await Broker.Until(
            () => job.Sink.Missing(10_000).ToHashSet().IsSubsetOf(items) && job.Sending.Backlog == 0, "the rest");
        Assert.Contains($"items {parked.First} to {parked.First + parked.Count - 1} of producer", Told(job), StringComparison.Ordinal);
        Assert.Equal(1, counted.Of(job.Link.Name));

        await worker.DieAsync();
        RabbitWorker mended = await job.StartWorkerAsync();
        Assert.Equal(0, await transport.PutBackParkedAsync(job.Link, static _ => false));
        Assert.Equal(1, await transport.PutBackParkedAsync(job.Link, static one => one.Error == FrameError.None));
        Assert.Empty(await transport.ListParkedAsync(job.Link));
        await Broker.Until(() => job.Sink.Missing(10_000).Count == 0, "what was parked");
        Assert.Equal(0, mended.Source.Statistics.Parked);
    }

    // How many notes there are of trials; null: there never was one, as the first makes the queue.
    private static async Task<uint?> NotesAsync(IConnection connection, LinkAddress link, int partition)
    {
        await using IChannel channel = await connection.CreateChannelAsync();
        try
        {
            return (await channel.QueueDeclarePassiveAsync(TrialNotes.QueueOf(link, partition))).MessageCount;
        }
        catch (OperationInterruptedException)
        {
            return null;
        }
    }

    private static string Told(RabbitJob job)
    {
        lock (job.Events) return Assert.Single(job.Events, static one => one.Kind == LinkEventKind.Parked).Detail;
    }

    // On its way through the broker when the event is told.
    private static async Task WaitForParkedAsync(RabbitMqTransport transport, LinkAddress link, int count)
    {
        int parked = 0;
        for (int looks = 0; looks < 600 && parked != count; looks++)
        {
            parked = await ParkedAsync(transport, link) ?? parked;
            if (parked != count) await Task.Delay(100);
        }

        Assert.Equal(count, parked);
    }

    // Null where the machine held the broker or the test up for longer than a heartbeat: it is asked again.
    private static async Task<int?> ParkedAsync(RabbitMqTransport transport, LinkAddress link)
    {
        try
        {
            return (await transport.ListParkedAsync(link)).Count;
        }
        catch (LinkTransportException)
        {
            return null;
        }
    }

    private static async Task PublishAsync(string queue, byte[] body)
    {
        await using IConnection connection = await Broker.Factory().CreateConnectionAsync();
        await using IChannel channel = await connection.CreateChannelAsync(new CreateChannelOptions(true, true));
        await channel.BasicPublishAsync("", queue, body);
    }

    /// <summary>What the meter counts.</summary>
    private sealed class Counted : IDisposable
    {
        private readonly MeterListener _listener = new();
        private readonly List<string> _links = [];

        public Counted()
        {
            _listener.InstrumentPublished = static (instrument, listener) =>
            {
                if (instrument.Name == "raceway.link.parked") listener.EnableMeasurementEvents(instrument);
            };
            _listener.SetMeasurementEventCallback<long>((_, _, tags, _) =>
            {
                foreach (KeyValuePair<string, object?> tag in tags)
                    if (tag.Key == "link") lock (_links) _links.Add((string)tag.Value!);
            });
            _listener.Start();
        }

        public int Of(string link)
        {
            lock (_links) return _links.Count(one => one == link);
        }

        public void Dispose() => _listener.Dispose();
    }
}
