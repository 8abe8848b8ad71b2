using System.Buffers;
using Raceway.Interop.Distributed;
using Raceway.Pipelines;
using Raceway.Rings;
using static Raceway.Interop.Tests.Distributed.Receiving;

namespace Raceway.Interop.Tests.Distributed;

/// <summary>What a link does when the pipeline ends, or its user's code throws.</summary>
public sealed class LinkFaultTests
{
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

    [Theory]
    [InlineData("stop")]
    [InlineData("detach")]
    [InlineData("halt")]
    [InlineData("drain")]
    public async Task OnFrame_PipelineHasEnded_ReportsNoGap(string end)
    {
        FaultPolicy policy = end == "detach" ? FaultPolicy.Detach : FaultPolicy.Stop;
        await using Receiving receiving = await StartAsync(policy: policy);
        await receiving.Deliver(1, 1, FrameOf(0, end is "stop" or "detach" ? Poison : 10));
        if (end == "halt") await receiving.Pipeline.HaltAsync();
        else if (end == "drain") _ = receiving.Pipeline.DrainAsync(TimeSpan.FromMinutes(4));
        receiving.Driver.RunUntilIdle();
        await receiving.Deliver(1, 2, FrameOf(1, 11, 12)).OrHang();
        await receiving.Deliver(1, 3, FrameOf(3, 13)).OrHang();
        Assert.Empty(receiving.Events);
        Assert.Equal((0L, 1L), (receiving.Source.Statistics.Gaps, receiving.Source.Statistics.Items));
        Assert.DoesNotContain(receiving.Port.Acknowledged, static one => one.Tag > 1);
    }

    [Fact]
    public async Task OnFrame_PipelineEndsWhileASuspectWaitsToBeAlone_ReportsNoGapAndTriesNothing()
    {
        await using Receiving receiving = await StartAsync();
        receiving.Port.Trial = FrameTrial.Exhausted;
        await receiving.Deliver(1, 1, FrameOf(0, 10));
        Task waits = receiving.Handler.OnFrameAsync(
            new ReceivedFrame(1, 2, 0, true, FrameOf(1, 11)) { IsSuspect = true }).AsTask();
        Assert.False(waits.IsCompleted);
        await receiving.Pipeline.HaltAsync();
        await waits.OrHang();
        await receiving.Deliver(1, 3, FrameOf(5, 12)).OrHang();
        Assert.Empty(receiving.Events);
        Assert.Empty(receiving.Port.Parked);
    }

    [Fact]
    public async Task OnFrame_TrialIsLost_LeavesOutWhatTheSessionBringsBehindIt()
    {
        await using Receiving receiving = await StartAsync();
        await receiving.Deliver(1, 1, FrameOf(0, 10));
        receiving.Driver.RunUntilIdle();
        receiving.Port.Trial = FrameTrial.Lost;
        await receiving.Handler.OnFrameAsync(new ReceivedFrame(1, 2, 0, true, FrameOf(1, 11)) { IsSuspect = true }).OrHang();
        // The transport had it before it knew that the connection was lost. Taken, it would make the one before it known.
        await receiving.Deliver(1, 3, FrameOf(2, 12)).OrHang();
        receiving.Driver.RunUntilIdle();
        Assert.Equal([10], receiving.Items);
        Assert.Empty(receiving.Events);
        Assert.DoesNotContain(receiving.Port.Acknowledged, static one => one.Tag > 1);

        receiving.Port.Trial = FrameTrial.Begun;
        receiving.Handler.OnSession(2);
        await receiving.Deliver(2, 1, FrameOf(1, 11)).OrHang();
        await receiving.Deliver(2, 2, FrameOf(2, 12)).OrHang();
        receiving.Driver.RunUntilIdle();
        Assert.Equal([10, 11, 12], receiving.Items);
        Assert.Empty(receiving.Events);
    }

    [Fact]
    public async Task OnFrame_PipelineEndsWhileItWaitsForRoom_ReportsNoGap()
    {
        await using Receiving receiving = await StartAsync();
        await receiving.Deliver(1, 1, FrameOf(0, [.. Enumerable.Range(0, 400)]));
        await receiving.Deliver(1, 2, FrameOf(400, [.. Enumerable.Range(400, 400)]));
        Task waits = receiving.Deliver(1, 3, FrameOf(800, [.. Enumerable.Range(800, 400)])).AsTask();
        Assert.False(waits.IsCompleted);
        await receiving.Pipeline.HaltAsync();
        await waits.OrHang();
        await receiving.Deliver(1, 4, FrameOf(1200, 10)).OrHang();
        Assert.Empty(receiving.Events);
        Assert.Empty(receiving.Port.Acknowledged);
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
        LinkEvent parked = Assert.Single(receiving.Events, static one => one.Kind == LinkEventKind.Parked);
        Assert.StartsWith("Position", parked.Detail, StringComparison.Ordinal);
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
    public async Task Start_TransportRefuses_CanBeStartedAgain()
    {
        var source = new LinkSource<Keyed>(Link, Keyed.Codec);
        await using Pipeline<Keyed> pipeline = Pipeline.Of<Keyed>(64).Stage("ack", source.Acknowledger).Run(Plan.Manual);
        var port = new ReceivingPort { Refusals = 1 };
        await Assert.ThrowsAsync<LinkTransportException>(async () => await source.StartAsync(port, pipeline));
        await source.StartAsync(port, pipeline);
        Assert.NotNull(port.Handler);
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
}
