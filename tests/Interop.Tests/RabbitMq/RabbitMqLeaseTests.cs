using Raceway.Interop.Distributed;
using Raceway.Interop.RabbitMq;
using Raceway.Interop.Tests.Distributed;
using Raceway.Pipelines;
using Raceway.Rings;
using RabbitMQ.Client;

namespace Raceway.Interop.Tests.RabbitMq;

/// <summary>One sender of a producer and epoch at a time, and no forged frame taken for what is known.</summary>
[Trait("Category", "Broker")]
[Collection(Broker.Collection)]
public sealed class RabbitMqLeaseTests
{
    private static readonly LinkProducer s_producer = new("feed", 5);

    [BrokerFact]
    public async Task OpenSender_AnotherOfItsProducerAndEpochLives_IsRefusedUntilThatEnds()
    {
        await using var job = new RabbitJob(partitions: 1);
        IFrameSender first = await job.Connect().OpenSenderAsync(job.Link, s_producer);
        LinkTransportException refused = await Assert.ThrowsAsync<LinkTransportException>(
            async () => await job.Connect().OpenSenderAsync(job.Link, s_producer).OrHang());
        Assert.Contains("producer='feed', epoch=5", refused.Message, StringComparison.Ordinal);
        await job.Connect().OpenSenderAsync(job.Link, s_producer with { Name = "other" });
        Assert.Equal(SendOutcome.Confirmed, await first.SendAsync(0, new byte[10]).OrHang());
        await first.DisposeAsync();
        IFrameSender second = await job.Connect().OpenSenderAsync(job.Link, s_producer).OrHang();
        Assert.Equal(SendOutcome.Confirmed, await second.SendAsync(0, new byte[10]).OrHang());
    }

    [BrokerFact]
    public async Task OpenSender_HolderDied_TakesTheLease()
    {
        await using var proxy = new Proxy();
        await using var job = new RabbitJob(partitions: 1);
        _ = await job.Connect(job.At(0) with { Nodes = [proxy.Node] }).OpenSenderAsync(job.Link, s_producer);
        proxy.Cut();
        IFrameSender second = await job.Connect().OpenSenderAsync(job.Link, s_producer).OrHang();
        Assert.Equal(SendOutcome.Confirmed, await second.SendAsync(0, new byte[10]).OrHang());
    }

    [BrokerFact]
    public async Task Reconnect_LeaseTakenMeanwhile_IsFenced()
    {
        await using var proxy = new Proxy();
        await using var job = new RabbitJob(partitions: 1);
        IFrameSender first = await job.Connect(job.At(0) with { Nodes = [proxy.Node] }).OpenSenderAsync(job.Link, s_producer);
        proxy.Cut();
        _ = await job.Connect().OpenSenderAsync(job.Link, s_producer).OrHang();
        proxy.Mend();
        await FencedAsync(first);
    }

    [BrokerFact]
    public async Task OpenSender_OfANewerEpoch_EndsTheOlder_AlsoWhenThatIsOpenedAfterIt()
    {
        await using var job = new RabbitJob(partitions: 1);
        IFrameSender older = await job.Connect().OpenSenderAsync(job.Link, s_producer);
        IFrameSender newer = await job.Connect().OpenSenderAsync(job.Link, s_producer with { Epoch = 6 });
        await FencedAsync(older);
        await FencedAsync(await job.Connect().OpenSenderAsync(job.Link, s_producer));
        Assert.Equal(SendOutcome.Confirmed, await newer.SendAsync(0, new byte[10]).OrHang());
    }

    [BrokerFact]
    public async Task Reconnect_ConnectionsClosedAgainAndAgain_KeepsItsLease()
    {
        await using var job = new RabbitJob(partitions: 1);
        IFrameSender first = await job.Connect().OpenSenderAsync(job.Link, s_producer);
        for (int round = 0; round < 3; round++)
        {
            Broker.Run("ctl", "1", "close_all_connections", "test");
            await ConfirmedAsync(first);
        }

        await Assert.ThrowsAsync<LinkTransportException>(
            async () => await job.Connect().OpenSenderAsync(job.Link, s_producer).OrHang());
        await ConfirmedAsync(first);
    }

    [BrokerFact(nodes: 3, isLong: true)]
    public async Task Reconnect_NodeOfItsLeaseHangs_GoesOnElsewhere()
    {
        await using var job = new RabbitJob(partitions: 1);
        string at = "";
        IFrameSender sender = await job.Connect(listener: one =>
        {
            if (one.Kind == LinkEventKind.Connected) at = one.Detail;
        }).OpenSenderAsync(job.Link, s_producer);
        await ConfirmedAsync(sender);
        await Broker.KeptAsync(job.Link);
        int node = Array.IndexOf(BrokerFactAttribute.Nodes, at) + 1;
        Broker.Run("pause", $"{node}");
        try
        {
            string before = at;
            await Broker.Until(() => at != before, "another node");
            await ConfirmedAsync(sender);
        }
        finally
        {
            Broker.Run("resume", $"{node}");
        }

        // Its old connection ends with the hang: the lease is taken again, and kept.
        for (int i = 0; i < 200; i++)
        {
            await ConfirmedAsync(sender);
            await Task.Delay(10);
        }

        await Broker.Until(
            () => Assert.ThrowsAsync<LinkTransportException>(
                async () => await job.Connect().OpenSenderAsync(job.Link, s_producer)).Wait(TimeSpan.FromMinutes(4)),
            "a refusal");
        await ConfirmedAsync(sender);
    }

    [BrokerFact]
    public async Task Link_ForgedFramesOfItsProducer_AreParkedAndNothingVanishes()
    {
        const int Items = 20_000;
        var keys = new LinkKeys(1, new Dictionary<int, byte[]> { [1] = [.. Enumerable.Range(0, 32).Select(static n => (byte)n)] });
        await using var job = new RabbitJob(partitions: 2);
        var options = new LinkOptions { Producer = "feed", Epoch = 5, FrameLength = 4096, Keys = keys };
        LinkSender<Keyed> sender =
            await LinkSender<Keyed>.OpenAsync<int>(job.Connect(), job.Link, Keyed.Codec, Keyed.KeyOf, options);
        await using Pipeline<Keyed> sending = Pipeline.Of<Keyed>(4096).Stage("send", sender, Dispatch.Batch(max: 4096)).Run();
        await using (IConnection connection = await Broker.Factory().CreateConnectionAsync())
        await using (IChannel channel = await connection.CreateChannelAsync())
        {
            // It claims the first hundred thousand items of each partition.
            for (int partition = 0; partition < 2; partition++)
            {
                var writer = new FrameWriter(4096, 1024 * 1024);
                for (int i = 0; i < 100_000; i++)
                {
                    Keyed item = Keyed.At(i, 10);
                    writer.Add(Keyed.Codec, in item, Keyed.Codec.FixedLength);
                }

                var header = new FrameHeader(
                    new LinkProducer("feed", 5).Id, 5, 0, 100_000, Keyed.Codec.FixedLength, job.Link.Tag, partition);
                await channel.BasicPublishAsync("", job.Link.QueueOf(partition), writer.Seal(header));
            }
        }

        var source = new LinkSource<Keyed>(job.Link, Keyed.Codec, new LinkOptions { Keys = keys });
        await using Pipeline<Keyed> receiving = Pipeline.Of<Keyed>(4096)
            .Stage("write", new WriteToSink(job.Sink, static () => null)).Stage("ack", source.Acknowledger).Run();
        await source.StartAsync(job.Connect(), receiving);
        await source.SubscribeAsync([0, 1]);
        using SingleProducer<Keyed> producer = sending.CreateProducer();
        for (int i = 0; i < Items; i++) await producer.PublishAsync(Keyed.At(i, RabbitJob.Keys));
        await Broker.Until(() => job.Sink.Problem(Items) is null && sending.Backlog == 0, "all items");
        Assert.Equal((Items, 2L, 0L), (job.Sink.Writes, source.Statistics.Parked, source.Statistics.Duplicates));
        await source.DisposeAsync();
    }

    private static async Task ConfirmedAsync(IFrameSender sender)
    {
        while (await sender.SendAsync(0, new byte[10]).OrHang() is var outcome and not SendOutcome.Confirmed)
        {
            Assert.NotEqual(SendOutcome.Fenced, outcome);
            Assert.True(await sender.WaitToResendAsync(0, outcome, 1).OrHang());
        }
    }

    // It is told so some milliseconds after it is so.
    private static async Task FencedAsync(IFrameSender sender)
    {
        while (await sender.SendAsync(0, new byte[10]).OrHang() is var outcome and not SendOutcome.Fenced)
        {
            if (outcome != SendOutcome.Confirmed) Assert.True(await sender.WaitToResendAsync(0, outcome, 1).OrHang());
            await Task.Delay(10);
        }
    }
}
