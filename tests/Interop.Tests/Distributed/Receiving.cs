using Raceway.Interop.Distributed;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop.Tests.Distributed;

/// <summary>A source in a stepped pipeline; the test is its transport.</summary>
internal sealed class Receiving(
    LinkSource<Keyed> source, Pipeline<Keyed> pipeline, ReceivingPort port, List<int> items, List<LinkEvent> events)
    : IAsyncDisposable
{
    /// <summary>An item of this number is one too many for the stage.</summary>
    public const int Poison = 13_13;

    public static LinkAddress Link { get; } = new("test.link", 2);

    public LinkSource<Keyed> Source => source;

    public Pipeline<Keyed> Pipeline => pipeline;

    public ReceivingPort Port => port;

    public List<int> Items => items;

    public List<LinkEvent> Events => events;

    public IFrameHandler Handler => port.Handler!;

    public ManualDriver Driver { get; } = new(pipeline.Stages);

    public static async Task<Receiving> StartAsync(
        IItemCodec<Keyed>? codec = null, bool keep = true, LinkOptions? options = null, Action<LinkEvent>? listener = null,
        FaultPolicy? policy = null, Func<LinkSource<Keyed>, List<int>, IBatchHandler<Keyed>>? keeper = null)
    {
        List<int> items = [];
        List<LinkEvent> events = [];
        var port = new ReceivingPort();
        var source = new LinkSource<Keyed>(
            Link, codec ?? Keyed.Codec, (options ?? new LinkOptions()) with { OnEvent = listener ?? events.Add });
        PipelineBuilder<Keyed, Keyed> builder =
            Raceway.Pipelines.Pipeline.Of<Keyed>(1024).OnFault(policy ?? FaultPolicy.Stop)
                // As in every application that is built for debugging.
                .Configure(static configured => configured with { CheckProducer = true });
        builder = keeper is not null ? builder.Stage("keep", keeper(source, items)) : builder.Stage("keep", (ref Keyed item) =>
        {
            if (item.Number == Poison) throw new FormatException("poison");
            if (keep) items.Add(item.Number);
        });
        Pipeline<Keyed> pipeline = builder
            .Stage("ack", source.Acknowledger)
            .Run(Plan.Manual);
        await source.StartAsync(port, pipeline);
        port.Handler!.OnSession(1);
        return new Receiving(source, pipeline, port, items, events);
    }

    public ValueTask Deliver(long session, ulong tag, byte[] frame, int partition = 0, long term = 0) =>
        Handler.OnFrameAsync(new ReceivedFrame(session, tag, partition, false, frame) { Term = term });

    public static byte[] FrameOf(long first, params int[] numbers) => FrameOf(1UL, first, numbers);

    /// <summary>A frame of another producer.</summary>
    public static byte[] FrameOf(ulong producer, long first, params int[] numbers) => FrameIn(0, producer, first, numbers);

    /// <summary>A frame of another partition.</summary>
    public static byte[] FrameIn(int partition, ulong producer, long first, params int[] numbers)
    {
        var writer = new FrameWriter(256, 4096);
        foreach (int number in numbers)
        {
            var item = new Keyed { Number = number };
            writer.Add(Keyed.Codec, in item, Keyed.Codec.FixedLength);
        }

        var header = new FrameHeader(producer, 1, first, numbers.Length, Keyed.Codec.FixedLength, Link.Tag, partition);
        return writer.Seal(header).ToArray();
    }

    public async ValueTask DisposeAsync()
    {
        await pipeline.HaltAsync();
        await pipeline.DisposeAsync();
    }
}

/// <summary>What a source has told its transport.</summary>
internal sealed class ReceivingPort : ILinkTransport, IFrameReceiver
{
    public IFrameHandler? Handler { get; private set; }

    /// <summary>Opening fails so often.</summary>
    public int Refusals { get; set; }

    /// <summary>Called while it is being opened.</summary>
    public Func<ValueTask>? Opening { get; set; }

    public bool IsDisposed { get; private set; }

    public List<(long Session, ulong Tag)> Acknowledged { get; } = [];

    public List<ulong> Parked { get; } = [];

    public ValueTask<IFrameSender> OpenSenderAsync(
        LinkAddress link, LinkProducer? producer = null, CancellationToken cancellation = default) =>
        throw new NotSupportedException();

    public async ValueTask<IFrameReceiver> OpenReceiverAsync(
        LinkAddress link, int prefetch, IFrameHandler handler, CancellationToken cancellation = default)
    {
        if (Refusals-- > 0) throw new LinkTransportException("Not now.");
        if (Opening is not null) await Opening();
        Handler = handler;
        return this;
    }

    public ValueTask SubscribeAsync(int partition, CancellationToken cancellation = default) => ValueTask.CompletedTask;

    public ValueTask UnsubscribeAsync(int partition, CancellationToken cancellation = default) =>
        Handler!.OnUnsubscribedAsync(partition);

    /// <summary>What the broker knows of the session, and which sessions were given up.</summary>
    public bool Holds { get; set; } = true;

    public List<long> Renewed { get; } = [];

    public bool IsHeld(long session) => Holds;

    public void Renew(long session) => Renewed.Add(session);

    /// <summary>What becomes of a trial, and how many were ended.</summary>
    public FrameTrial Trial { get; set; }

    public int TrialsEnded { get; private set; }

    public ValueTask<FrameTrial> BeginTrialAsync(ReceivedFrame frame) => ValueTask.FromResult(Trial);

    public ValueTask EndTrialAsync(ReceivedFrame frame)
    {
        TrialsEnded++;
        return ValueTask.CompletedTask;
    }

    public void Acknowledge(long session, ulong tag) => Acknowledged.Add((session, tag));

    public void Park(long session, ulong tag) => Parked.Add(tag);

    public ValueTask FlushAsync() => ValueTask.CompletedTask;

    public ValueTask DisposeAsync()
    {
        IsDisposed = true;
        return ValueTask.CompletedTask;
    }
}
