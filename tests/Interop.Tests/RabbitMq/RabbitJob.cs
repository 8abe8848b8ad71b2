using Raceway.Interop.Distributed;
using Raceway.Interop.RabbitMq;
using Raceway.Interop.Tests.Distributed;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop.Tests.RabbitMq;

/// <summary>A sending process and two workers over a real broker, and a sink that outlives them.</summary>
internal sealed class RabbitJob : IAsyncDisposable
{
    public const int Keys = 100;
    private const int Capacity = 4096;
    private const int MostStill = 12_000;

    private readonly RabbitMqOptions _broker;
    private readonly List<IAsyncDisposable> _owned = [];
    private int _fed;

    public RabbitJob(int partitions = 4, Func<RabbitMqOptions, RabbitMqOptions>? configure = null)
    {
        Link = new LinkAddress($"test.{Guid.NewGuid():n}", partitions);
        var options = new RabbitMqOptions
        {
            Nodes = BrokerFactAttribute.Nodes, Replicas = BrokerFactAttribute.Nodes.Length >= 3 ? 3 : 1,
            Heartbeat = TimeSpan.FromSeconds(2),
        };
        _broker = configure?.Invoke(options) ?? options;
    }

    public LinkAddress Link { get; }

    public Sink Sink { get; } = new(Keys);

    public List<LinkEvent> Events { get; } = [];

    public LinkSender<Keyed> Sender { get; private set; } = null!;

    public Pipeline<Keyed> Sending { get; private set; } = null!;

    public int Fed => Volatile.Read(ref _fed);

    public int Told(LinkEventKind kind)
    {
        lock (Events) return Events.Count(one => one.Kind == kind);
    }

    public RabbitMqTransport Connect(RabbitMqOptions? options = null, Action<LinkEvent>? listener = null)
    {
        var transport = new RabbitMqTransport((options ?? _broker) with { OnEvent = listener ?? Note });
        _owned.Add(transport);
        return transport;
    }

    public RabbitMqOptions At(params int[] nodes) => _broker with { Nodes = [.. nodes.Select(node => _broker.Nodes[node])] };

    public async Task StartSendingAsync(RabbitMqOptions? at = null)
    {
        var options = new LinkOptions { Producer = "feed", FrameLength = 4096, OnEvent = Note };
        Sender = await LinkSender<Keyed>.OpenAsync<int>(Connect(at), Link, Keyed.Codec, Keyed.KeyOf, options);
        Sending = Pipeline.Of<Keyed>(Capacity).Stage("send", Sender, Dispatch.Batch(max: Capacity)).Run();
        _owned.Add(Sending);
    }

    /// <summary>
    /// Publishes items up to <paramref name="items"/>, and further until <paramref name="over"/>; the ring holds it back as the
    /// broker does.
    /// </summary>
    public Task FeedAsync(int items, Task? over = null) => Task.Run(async () =>
    {
        using SingleProducer<Keyed> producer = Sending.CreateProducer();
        for (; _fed < items || over is { IsCompleted: false }; _fed++) await producer.PublishAsync(Keyed.At(_fed, Keys));
    });

    /// <param name="at">Where.</param>
    /// <param name="prefetch">Frames a partition.</param>
    /// <param name="poison">The item that ends the worker.</param>
    /// <param name="hold">Nothing is handled before this.</param>
    public async Task<RabbitWorker> StartWorkerAsync(
        RabbitMqOptions? at = null, int prefetch = 4, Keyed? poison = null, Task? hold = null)
    {
        var options = new LinkOptions { FrameLength = 4096, Prefetch = prefetch, PositionOf = Sink.PositionOf, OnEvent = Note };
        var source = new LinkSource<Keyed>(Link, Keyed.Codec, options);
        Pipeline<Keyed> pipeline = Pipeline.Of<Keyed>(Capacity)
            .Stage("hold", (ref Keyed _) => hold?.GetAwaiter().GetResult())
            .Stage("write", new WriteToSink(Sink, () => source, poison)).Stage("ack", source.Acknowledger).Run();
        RabbitMqTransport transport = Connect(at);
        await source.StartAsync(transport, pipeline);
        await source.SubscribeAsync(Enumerable.Range(0, Link.Partitions));
        _owned.Add(pipeline);
        return new RabbitWorker(transport, pipeline, source);
    }

    /// <summary>Waits until more than so many items are written.</summary>
    public Task MovesAsync(int items) => Broker.Until(() => Sink.Writes > items, $"{items} items written", State);

    /// <summary>Waits until everything fed has been confirmed and written; fails where nothing moves for four minutes.</summary>
    public async Task FinishAsync(int items)
    {
        long moved = -1;
        int still = 0;
        while (Sink.Problem(items) is not null || Sending.Backlog > 0)
        {
            long now = Sink.Writes + Sender.Statistics.Items;
            still = now == moved ? still + 1 : 0;
            moved = now;
            // Pauses, not the clock: see Watchdog.
            if (still == MostStill) Assert.Fail($"Hangs: {Sink.Problem(items)}; {State()}");
            await Task.Delay(20);
        }
    }

    public async ValueTask DisposeAsync()
    {
        foreach (IAsyncDisposable one in Enumerable.Reverse(_owned)) await one.DisposeAsync();
        await using var transport = new RabbitMqTransport(_broker);
        await transport.DeleteAsync(Link);
    }

    /// <summary>What it is told, and how far it is, for a summary or a failure.</summary>
    public string Describe() => State();

    private string State()
    {
        lock (Events) return $"{Sink.Writes} written of {Fed}; {Sender.Statistics}; {string.Join("; ", Events)}";
    }

    private void Note(LinkEvent what)
    {
        lock (Events) Events.Add(what);
    }
}

/// <summary>One of the workers.</summary>
internal sealed record RabbitWorker(RabbitMqTransport Transport, Pipeline<Keyed> Pipeline, LinkSource<Keyed> Source)
{
    /// <summary>As if its process were killed: nothing more is handled or acknowledged.</summary>
    public async Task DieAsync()
    {
        Source.Stop();
        await Pipeline.HaltAsync();
        await Transport.DisposeAsync();
    }
}
