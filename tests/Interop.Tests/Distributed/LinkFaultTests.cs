using System.Buffers;
using Raceway.Interop.Distributed;
using Raceway.Pipelines;
using Raceway.Rings;
using static Raceway.Interop.Tests.Distributed.Receiving;

namespace Raceway.Interop.Tests.Distributed;

/// <summary>What a link does when the pipeline ends, its user's code throws, or what it waits for does not come.</summary>
public sealed class LinkFaultTests
{
    private static readonly LinkOptions s_holding = new() { HeldFrames = 2, Prefetch = 3, PositionOf = static _ => -1 };

    [Theory]
    [InlineData("fault")]
    [InlineData("halt")]
    [InlineData("dispose")]
    public async Task OnFrame_PipelineEndsBeforeTheCommit_IsNeitherThrownNorAcknowledged(string end)
    {
        Receiving? receiving = null;
        var codec = new Meddling(() =>
        {
            if (end == "fault") receiving!.Driver.RunUntilIdle();
            else if (end == "halt") _ = receiving!.Pipeline.HaltAsync();
            else _ = receiving!.Pipeline.DisposeAsync().AsTask();
        });
        await using Receiving started = receiving = await StartAsync(codec);
        await receiving.Deliver(1, 1, FrameOf(0, Poison));
        codec.IsArmed = true;
        await receiving.Deliver(1, 2, FrameOf(1, 11)).OrHang();
        Assert.Empty(receiving.Port.Acknowledged);
        Assert.Empty(receiving.Port.Parked);
        await receiving.Deliver(1, 3, FrameOf(2, 12)).OrHang();
        Assert.Equal(3, receiving.Source.Statistics.Unacknowledged);
    }

    [Fact]
    public async Task InMemory_HandlerThrows_TheNextFrameComes()
    {
        var link = new LinkAddress("test.throws", 1);
        var broker = new InMemoryBroker();
        var handler = new Counting { ThrowsAt = 1 };
        await using InMemoryTransport transport = broker.Connect();
        IFrameReceiver receiver = await transport.OpenReceiverAsync(link, 8, handler);
        await receiver.SubscribeAsync(0);
        IFrameSender sender = await transport.OpenSenderAsync(link);
        for (int i = 0; i < 3; i++) Assert.Equal(SendOutcome.Confirmed, await sender.SendAsync(0, new byte[10]).OrHang());
        await Watchdog.UntilAsync(() => handler.Frames == 3, "three frames");
    }

    [Fact]
    public async Task OnEvent_ListenerThrows_ReceivingGoesOn()
    {
        int told = 0;
        await using Receiving receiving = await StartAsync(listener: _ =>
        {
            told++;
            throw new FormatException("of the listener");
        });
        await receiving.Deliver(1, 1, new byte[100]);
        await receiving.Deliver(1, 2, FrameOf(0, 10));
        await receiving.Deliver(1, 3, FrameOf(5, 15));
        receiving.Driver.RunUntilIdle();
        Assert.Equal([10, 15], receiving.Items);
        Assert.Equal([1UL], receiving.Port.Parked);
        Assert.Equal((2, 1L), (told, receiving.Source.Statistics.Gaps));
    }

    [Fact]
    public async Task OnEvent_ListenerThrows_SendingGoesOn()
    {
        var broker = new InMemoryBroker(new InMemoryBrokerOptions { MaxQueueBytes = 1 });
        var link = new LinkAddress("test.refused", 1);
        int told = 0;
        var options = new LinkOptions
        {
            FrameLength = 256,
            OnEvent = _ =>
            {
                Interlocked.Increment(ref told);
                throw new FormatException("of the listener");
            },
        };
        await using LinkSender<Keyed> sender =
            await LinkSender<Keyed>.OpenAsync<int>(broker.Connect(), link, Keyed.Codec, Keyed.KeyOf, options);
        await using Pipeline<Keyed> sending = Pipeline.Of<Keyed>(64).Stage("send", sender, Dispatch.Batch(max: 64)).Run();
        using SingleProducer<Keyed> producer = sending.CreateProducer();
        for (int i = 0; i < 64; i++) producer.Publish(Keyed.At(i, 10));
        // The queue takes one frame at a time: the next is refused until there is somebody who takes it.
        await Watchdog.UntilAsync(() => Volatile.Read(ref told) > 0, "a refusal");
        var sink = new Sink(10);
        var source = new LinkSource<Keyed>(link, Keyed.Codec);
        await using Pipeline<Keyed> receiving = Pipeline.Of<Keyed>(64)
            .Stage("write", new WriteToSink(sink, static () => null)).Stage("ack", source.Acknowledger).Run();
        await source.StartAsync(broker.Connect(), receiving);
        await source.SubscribeAsync([0]);
        await Watchdog.UntilAsync(() => sink.Problem(64) is null && sending.Backlog == 0, "64 items");
        await source.DisposeAsync();
    }

    [Fact]
    public async Task OnFrame_PositionCannotBeSaid_IsParkedAndAskedForAgain()
    {
        int asked = 0;
        await using Receiving receiving = await StartAsync(options: new LinkOptions
        {
            PositionOf = _ => ++asked == 1 ? throw new IOException("the store is away") : -1,
        });
        await receiving.Deliver(1, 1, FrameOf(0, 10));
        await receiving.Deliver(1, 2, FrameOf(1, 11));
        receiving.Driver.RunUntilIdle();
        Assert.Equal([11], receiving.Items);
        Assert.Equal([1UL], receiving.Port.Parked);
        Assert.Contains(receiving.Events, one => one is { Kind: LinkEventKind.Parked } && one.Detail.StartsWith("Position", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Release_ItemsOfAnEndedSessionInTheRing_WaitsForThem()
    {
        await using Receiving receiving = await StartAsync();
        await receiving.Deliver(1, 1, FrameOf(0, 10, 11));
        receiving.Handler.OnSession(2);
        Task released = receiving.Source.ReleaseAsync([0]).AsTask();
        Assert.False(released.IsCompleted);
        receiving.Driver.RunUntilIdle();
        await released.OrHang();
        Assert.Equal([10, 11], receiving.Items);
    }

    [Fact]
    public async Task Release_SessionEndsMeanwhile_WaitsForWhatIsInTheRing()
    {
        await using Receiving receiving = await StartAsync();
        await receiving.Deliver(1, 1, FrameOf(0, 10, 11));
        Task released = receiving.Source.ReleaseAsync([0]).AsTask();
        receiving.Handler.OnSession(2);
        Assert.False(released.IsCompleted);
        receiving.Driver.RunUntilIdle();
        await released.OrHang();
    }

    [Fact]
    public async Task Release_StageFails_SaysSoInsteadOfWaiting()
    {
        await using Receiving receiving = await StartAsync();
        await receiving.Deliver(1, 1, FrameOf(0, Poison));
        Task released = receiving.Source.ReleaseAsync([0]).AsTask();
        receiving.Driver.RunUntilIdle();
        await Assert.ThrowsAsync<RingFaultedException>(() => released.OrHang());
    }

    [Fact]
    public async Task Release_SourceIsDisposed_SaysSoInsteadOfWaiting()
    {
        await using Receiving receiving = await StartAsync();
        await receiving.Deliver(1, 1, FrameOf(0, 10));
        Task released = receiving.Source.ReleaseAsync([0]).AsTask();
        await receiving.Source.DisposeAsync();
        ObjectDisposedException ended = await Assert.ThrowsAsync<ObjectDisposedException>(() => released.OrHang());
        Assert.Contains("link='test.link'", ended.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Subscribe_NotStarted_SaysWhatToDo()
    {
        var source = new LinkSource<Keyed>(Link, Keyed.Codec);
        InvalidOperationException refused = await Assert.ThrowsAsync<InvalidOperationException>(
            async () => await source.SubscribeAsync([0]));
        Assert.Contains("Call StartAsync first", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task HeldFrames_OthersOfThePartitionUseUpThePrefetch_IsTakenWithoutTheMissingOne()
    {
        // Nothing behind the first is acknowledged while it waits: after a third one the broker delivers no more.
        await using Receiving receiving = await StartAsync(options: s_holding);
        await receiving.Deliver(1, 1, FrameOf(5, 15));
        await receiving.Deliver(1, 2, FrameOf(2UL, 0, 20));
        receiving.Driver.RunUntilIdle();
        Assert.Equal([20], receiving.Items);
        Assert.Empty(receiving.Port.Acknowledged);
        await receiving.Deliver(1, 3, FrameOf(2UL, 1, 21));
        receiving.Driver.RunUntilIdle();
        Assert.Equal([20, 21, 15], receiving.Items);
        Assert.Equal((1L, 3UL), receiving.Port.Acknowledged[^1]);
        Assert.Equal(1, receiving.Source.Statistics.Gaps);
    }

    [Fact]
    public async Task HeldFrames_MissingOneComesInTime_GoInOrder()
    {
        await using Receiving receiving = await StartAsync(options: s_holding);
        await receiving.Deliver(1, 1, FrameOf(2, 12));
        await receiving.Deliver(1, 2, FrameOf(0, 10, 11));
        receiving.Driver.RunUntilIdle();
        Assert.Equal([10, 11, 12], receiving.Items);
        Assert.Equal((1L, 2UL), receiving.Port.Acknowledged[^1]);
        Assert.Equal(0, receiving.Source.Statistics.Gaps);
    }

    [Fact]
    public async Task Release_FramesWaitForOneBeforeThem_AreTakenWithoutIt()
    {
        await using Receiving receiving = await StartAsync(options: s_holding);
        await receiving.Deliver(1, 1, FrameOf(5, 15));
        Task released = receiving.Source.ReleaseAsync([0]).AsTask();
        receiving.Driver.RunUntilIdle();
        await released.OrHang();
        Assert.Equal([15], receiving.Items);
    }

    [Fact]
    public void Streams_MoreThanAreKept_NoneIsForgottenWhoseFramesWait()
    {
        var streams = new LinkStreams();
        StreamState waiting = streams.Get(new LinkStream(1, 1, 0));
        waiting.Held.Add(new HeldFrame(waiting, default, 0, 1, []));
        StreamState other = streams.Get(new LinkStream(2, 1, 0));
        for (int i = 0; i < LinkStreams.Most; i++) streams.Get(new LinkStream((ulong)i + 10, 1, 0));
        Assert.Same(waiting, streams.Get(new LinkStream(1, 1, 0)));
        Assert.NotSame(other, streams.Get(new LinkStream(2, 1, 0)));
    }

    [Theory]
    [InlineData(8, 8)]
    [InlineData(-1, 8)]
    public void Options_HeldFramesNotBelowPrefetch_AreRefused(int held, int prefetch)
    {
        ArgumentOutOfRangeException refused = Assert.Throws<ArgumentOutOfRangeException>(
            () => new LinkOptions { HeldFrames = held, Prefetch = prefetch, PositionOf = static _ => null }.Checked());
        Assert.Contains($"heldFrames={held}, prefetch={prefetch}", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Options_HeldFramesWithoutPositions_AreRefused()
    {
        ArgumentException refused = Assert.Throws<ArgumentException>(() => new LinkOptions { HeldFrames = 2 }.Checked());
        Assert.Contains("positionOf=none", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Start_TransportRefuses_CanBeStartedAgain()
    {
        var source = new LinkSource<Keyed>(Link, Keyed.Codec);
        await using Pipeline<Keyed> pipeline = Pipeline.Of<Keyed>(64).Stage("ack", source.Acknowledger).Run(Plan.Manual);
        var port = new ReceivingPort { Refusals = 1 };
        await Assert.ThrowsAsync<LinkTransportException>(async () => await source.StartAsync(port, pipeline));
        await source.StartAsync(port, pipeline);
        Assert.NotNull(port.Handler);
    }

    [Fact]
    public void Add_ItemOfMoreThanHalfAFrame_IsRefusedThoughTheFrameIsEmpty()
    {
        var writer = new FrameWriter(256, 512);
        byte[] large = new byte[300];
        byte[] half = new byte[252];
        Assert.Throws<InvalidOperationException>(() => writer.Add(ItemCodec.Bytes, in large, 0));
        writer.Add(ItemCodec.Bytes, in half, 0);
        Assert.Equal((1, FrameHeader.Size + 256), (writer.Count, writer.Length));
    }

    [Fact]
    public void Add_CodecTakesMoreThanItAskedFor_IsRefusedAtTheSameLength()
    {
        var writer = new FrameWriter(512, 512);
        var item = default(Keyed);
        Assert.Throws<InvalidOperationException>(() => writer.Add(new Greedy(257), in item, 257));
        Assert.Equal((0, FrameHeader.Size), (writer.Count, writer.Length));
        writer.Add(new Greedy(256), in item, 256);
        Assert.Equal(1, writer.Count);
    }

    /// <summary>Does something while an item is read, that is with a claim open.</summary>
    private sealed class Meddling(Action meddle) : IItemCodec<Keyed>
    {
        public bool IsArmed { get; set; }

        public int FixedLength => Keyed.Codec.FixedLength;

        public void Write(ref readonly Keyed item, IBufferWriter<byte> output) => Keyed.Codec.Write(in item, output);

        public void Read(ReadOnlySpan<byte> bytes, ref Keyed item)
        {
            Keyed.Codec.Read(bytes, ref item);
            if (IsArmed) meddle();
            IsArmed = false;
        }
    }

    private sealed class Greedy(int bytes) : IItemCodec<Keyed>
    {
        public int FixedLength => bytes;

        public void Write(ref readonly Keyed item, IBufferWriter<byte> output)
        {
            _ = output.GetSpan(1);
            output.Advance(bytes);
        }

        public void Read(ReadOnlySpan<byte> bytes, ref Keyed item) => throw new NotSupportedException();
    }

    private sealed class Counting : IFrameHandler
    {
        private int _frames;

        public int Frames => Volatile.Read(ref _frames);

        public int ThrowsAt { get; init; }

        public void OnSession(long session)
        {
        }

        public ValueTask OnFrameAsync(ReceivedFrame frame) =>
            Interlocked.Increment(ref _frames) == ThrowsAt ? throw new FormatException("of the handler") : ValueTask.CompletedTask;

        public ValueTask OnUnsubscribedAsync(int partition) => ValueTask.CompletedTask;
    }
}
