using System.Runtime.InteropServices;
using Raceway.Interop.Distributed;
using Raceway.Interop.RabbitMq;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop.Tests.Distributed;

public sealed class LinkTests
{
    private static readonly LinkAddress s_link = new("test.link", 2);

    [Fact]
    public async Task OnFrame_KnownItemsInANewSession_IsAcknowledgedOnlyWhenTheyArePassed()
    {
        // The delivery that brought them has ended with its session: the second one is the only copy that the broker has.
        await using Receiving receiving = await Receiving.StartAsync();
        await receiving.Deliver(session: 1, tag: 1, FrameOf(0, 1, 2));
        receiving.Handler.OnSession(2);
        await receiving.Deliver(session: 2, tag: 1, FrameOf(0, 1, 2));
        Assert.Empty(receiving.Port.Acknowledged);
        receiving.Driver.RunUntilIdle();
        Assert.Equal([(2L, 1UL)], receiving.Port.Acknowledged);
        Assert.Equal([1, 2], receiving.Items);
        Assert.Equal(2, receiving.Source.Statistics.Duplicates);
    }

    [Fact]
    public async Task OnFrame_LowerThanEverythingSeenHere_IsTakenHoweverLate()
    {
        // Delivered to another worker, which cancelled, and died with it: nothing says that it was handled.
        await using Receiving receiving = await Receiving.StartAsync();
        await receiving.Deliver(1, 1, FrameOf(5, 15, 16));
        await receiving.Deliver(1, 2, FrameOf(3, 13, 14));
        receiving.Driver.RunUntilIdle();
        Assert.Equal([15, 16, 13, 14], receiving.Items);
        Assert.Equal(0, receiving.Source.Statistics.Duplicates);
    }

    [Fact]
    public async Task OnFrame_OverlapsWhatIsKnown_OnlyTheRestIsTaken()
    {
        await using Receiving receiving = await Receiving.StartAsync();
        await receiving.Deliver(1, 1, FrameOf(0, 10, 11));
        await receiving.Deliver(1, 2, FrameOf(1, 11, 12, 13));
        receiving.Driver.RunUntilIdle();
        Assert.Equal([10, 11, 12, 13], receiving.Items);
    }

    [Fact]
    public async Task OnFrame_OneBeforeItIsMissing_IsTakenAndReported()
    {
        await using Receiving receiving = await Receiving.StartAsync();
        await receiving.Deliver(1, 1, FrameOf(0, 10));
        await receiving.Deliver(1, 2, FrameOf(5, 15));
        receiving.Driver.RunUntilIdle();
        Assert.Equal([10, 15], receiving.Items);
        Assert.Equal(1, receiving.Source.Statistics.Gaps);
        Assert.Contains(receiving.Events, one => one.Kind == LinkEventKind.Gap && one.Detail.Contains("1 to 4", StringComparison.Ordinal));
    }

    [Fact]
    public async Task OnFrame_NotRight_IsParkedAndNeverAcknowledged()
    {
        await using Receiving receiving = await Receiving.StartAsync();
        byte[] elsewhere = FrameOf(0, 1);
        new FrameHeader(1, 1, 0, 1, Keyed.Codec.FixedLength, 12345, 0).Seal(elsewhere);
        byte[] flipped = FrameOf(0, 1);
        flipped[^1]++;
        await receiving.Deliver(1, 1, FrameOf(0, 10));
        await receiving.Deliver(1, 2, elsewhere);
        await receiving.Deliver(1, 3, flipped);
        await receiving.Deliver(1, 4, new byte[2 * 1024 * 1024]);
        receiving.Driver.RunUntilIdle();
        Assert.Equal([10], receiving.Items);
        Assert.Equal([2UL, 3UL, 4UL], receiving.Port.Parked);
        Assert.Equal([(1L, 1UL)], receiving.Port.Acknowledged);
    }

    [Fact]
    public async Task OnFrame_CodecThrows_IsParkedAndNothingOfItIsPublished()
    {
        await using Receiving receiving = await Receiving.StartAsync(new Throwing());
        await receiving.Deliver(1, 1, FrameOf(0, 1, 2, 666));
        await receiving.Deliver(1, 2, FrameOf(3, 4));
        receiving.Driver.RunUntilIdle();
        Assert.Equal([4], receiving.Items);
        Assert.Equal([1UL], receiving.Port.Parked);
    }

    [Fact]
    public async Task OnFrame_Stopped_IsNeitherTakenNorAcknowledged()
    {
        await using Receiving receiving = await Receiving.StartAsync();
        await receiving.Deliver(1, 1, FrameOf(0, 10));
        receiving.Source.Stop();
        await receiving.Deliver(1, 2, FrameOf(1, 11));
        receiving.Driver.RunUntilIdle();
        Assert.Equal([10], receiving.Items);
        Assert.Equal([(1L, 1UL)], receiving.Port.Acknowledged);
    }

    [Fact]
    public async Task OnFrame_ManyItems_AllocatesNothingAnItem()
    {
        await using Receiving receiving = await Receiving.StartAsync(keep: false);
        byte[] frame = FrameOf(0, [.. Enumerable.Range(0, 100)]);
        const int Rounds = 2_000, MostRounds = 50_000, Most = 64;
        long least = long.MaxValue;
        int rounds = 0;
        // Until it is compiled for speed, which is later on a crowded machine, a frame costs some bytes more. An item's would be
        // in every round.
        for (; rounds < Rounds || (least > Most && rounds < MostRounds); rounds++)
        {
            new FrameHeader(1, 1, rounds * 100, 100, Keyed.Codec.FixedLength, s_link.Tag, 0).Seal(frame);
            long before = GC.GetAllocatedBytesForCurrentThread();
            ValueTask taken = receiving.Handler.OnFrameAsync(new ReceivedFrame(1, (ulong)rounds + 1, 0, false, frame));
            least = Math.Min(least, GC.GetAllocatedBytesForCurrentThread() - before);
            Assert.True(taken.IsCompletedSuccessfully);
            receiving.Driver.RunUntilIdle();
        }

        // A hundred items each: something a frame (56 bytes), nothing an item.
        Assert.InRange(least, 0, Most);
        Assert.Equal(rounds * 100L, receiving.Source.Statistics.Items);
    }

    [Fact]
    public async Task Start_AStageBesideTheAcknowledging_IsRefused()
    {
        var source = new LinkSource<Keyed>(s_link, Keyed.Codec);
        await using Pipeline<Keyed> pipeline = Pipeline.Of<Keyed>(64)
            .Stage("one", static (ref Keyed _) => { })
            .Stage("two", static (ref Keyed _) => { }, after: [])
            .Stage("ack", source.Acknowledger)
            .Run(Plan.Manual);
        InvalidOperationException refused = await Assert.ThrowsAsync<InvalidOperationException>(
            async () => await source.StartAsync(new InMemoryBroker().Connect(), pipeline));
        Assert.Contains("stage='ack'", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Options_OutOfRange_SayRuleValueAndRemedy()
    {
        Assert.Contains("partitions=0", Assert.ThrowsAny<ArgumentException>(() => new LinkSource<Keyed>(new LinkAddress("a", 0), Keyed.Codec)).Message, StringComparison.Ordinal);
        Assert.Contains("name='a b'", Assert.ThrowsAny<ArgumentException>(() => new LinkSource<Keyed>(new LinkAddress("a b", 1), Keyed.Codec)).Message, StringComparison.Ordinal);
        Assert.Contains("prefetch=0", Assert.ThrowsAny<ArgumentException>(() => new LinkSource<Keyed>(s_link, Keyed.Codec, new LinkOptions { Prefetch = 0 })).Message, StringComparison.Ordinal);
        Assert.Contains("frameLength=100", Assert.ThrowsAny<ArgumentException>(() => new LinkSource<Keyed>(s_link, Keyed.Codec, new LinkOptions { FrameLength = 100 })).Message, StringComparison.Ordinal);
        ArgumentException key = await Assert.ThrowsAsync<ArgumentException>(async () => await LinkSender<Keyed>.OpenAsync(
            new InMemoryBroker().Connect(), s_link, Keyed.Codec, static (ref readonly Keyed item) => (item.Key, item.Number)));
        Assert.Contains("hash the same in every process", key.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("amqp://user:very-secret@host:5672")]
    [InlineData("amqp://user:very-secret@host/vhost")]
    [InlineData("user:very-secret@host")]
    public void RabbitMqOptions_AccountInANode_IsRefusedAndNotShown(string node)
    {
        var options = new RabbitMqOptions { Nodes = [node] };
        ArgumentException refused = Assert.Throws<ArgumentException>(options.Checked);
        Assert.DoesNotContain("very-secret", $"{refused} {options}", StringComparison.Ordinal);
        Assert.Contains("host:port", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void RabbitMqOptions_AsText_HaveNoPassword()
    {
        var options = new RabbitMqOptions { Password = "very-secret", Nodes = ["a:1", "b:2"] };
        Assert.DoesNotContain("very-secret", $"{options}", StringComparison.Ordinal);
        Assert.Contains("a:1,b:2", $"{options}", StringComparison.Ordinal);
    }

    [Fact]
    public async Task RabbitMq_NobodyThere_SaysSoWithoutThePassword()
    {
        // The port of the discard service: nobody has it.
        await using var transport = new RabbitMqTransport(new RabbitMqOptions { Nodes = ["127.0.0.1:9"], Password = "very-secret" });
        LinkTransportException refused = await Assert.ThrowsAsync<LinkTransportException>(
            async () => await transport.OpenSenderAsync(s_link));
        Assert.DoesNotContain("very-secret", refused.ToString(), StringComparison.Ordinal);
        Assert.Contains("127.0.0.1:9", refused.Message, StringComparison.Ordinal);
        Assert.Contains("node='nowhere'", Assert.ThrowsAny<ArgumentException>(() => new RabbitMqTransport(new RabbitMqOptions { Nodes = ["nowhere"] })).Message, StringComparison.Ordinal);
    }

    private static byte[] FrameOf(long first, params int[] numbers)
    {
        var writer = new FrameWriter(256, 4096);
        foreach (int number in numbers)
        {
            var item = new Keyed { Number = number };
            writer.Add(Keyed.Codec, in item, Keyed.Codec.FixedLength);
        }

        return writer.Seal(new FrameHeader(1, 1, first, numbers.Length, Keyed.Codec.FixedLength, s_link.Tag, 0)).ToArray();
    }

    private sealed class Throwing : IItemCodec<Keyed>
    {
        public int FixedLength => Keyed.Codec.FixedLength;

        public void Write(ref readonly Keyed item, System.Buffers.IBufferWriter<byte> output) => Keyed.Codec.Write(in item, output);

        public void Read(ReadOnlySpan<byte> bytes, ref Keyed item)
        {
            item = MemoryMarshal.Read<Keyed>(bytes);
            if (item.Number == 666) throw new FormatException("not an item");
        }
    }

    /// <summary>A source in a stepped pipeline; the test is its transport.</summary>
    private sealed class Receiving(LinkSource<Keyed> source, Pipeline<Keyed> pipeline, Port port, List<int> items, List<LinkEvent> events)
        : IAsyncDisposable
    {
        public LinkSource<Keyed> Source => source;

        public Port Port => port;

        public List<int> Items => items;

        public List<LinkEvent> Events => events;

        public IFrameHandler Handler => port.Handler!;

        public ManualDriver Driver { get; } = new(pipeline.Stages);

        public static async Task<Receiving> StartAsync(IItemCodec<Keyed>? codec = null, bool keep = true)
        {
            List<int> items = [];
            List<LinkEvent> events = [];
            var port = new Port();
            var source = new LinkSource<Keyed>(s_link, codec ?? Keyed.Codec, new LinkOptions { OnEvent = events.Add });
            Pipeline<Keyed> pipeline = Pipeline.Of<Keyed>(1024)
                .Stage("keep", (ref Keyed item) =>
                {
                    if (keep) items.Add(item.Number);
                })
                .Stage("ack", source.Acknowledger)
                .Run(Plan.Manual);
            await source.StartAsync(port, pipeline);
            port.Handler!.OnSession(1);
            return new Receiving(source, pipeline, port, items, events);
        }

        public ValueTask Deliver(long session, ulong tag, byte[] frame) =>
            Handler.OnFrameAsync(new ReceivedFrame(session, tag, 0, false, frame));

        public async ValueTask DisposeAsync()
        {
            await pipeline.HaltAsync();
            await pipeline.DisposeAsync();
        }
    }

    private sealed class Port : ILinkTransport, IFrameReceiver
    {
        public IFrameHandler? Handler { get; private set; }

        public List<(long Session, ulong Tag)> Acknowledged { get; } = [];

        public List<ulong> Parked { get; } = [];

        public ValueTask<IFrameSender> OpenSenderAsync(LinkAddress link, CancellationToken cancellation = default) =>
            throw new NotSupportedException();

        public ValueTask<IFrameReceiver> OpenReceiverAsync(
            LinkAddress link, int prefetch, IFrameHandler handler, CancellationToken cancellation = default)
        {
            Handler = handler;
            return ValueTask.FromResult<IFrameReceiver>(this);
        }

        public ValueTask SubscribeAsync(int partition, CancellationToken cancellation = default) => ValueTask.CompletedTask;

        public ValueTask UnsubscribeAsync(int partition, CancellationToken cancellation = default) => ValueTask.CompletedTask;

        public void Acknowledge(long session, ulong tag) => Acknowledged.Add((session, tag));

        public void Park(long session, ulong tag) => Parked.Add(tag);

        public ValueTask FlushAsync() => ValueTask.CompletedTask;

        public ValueTask DisposeAsync() => ValueTask.CompletedTask;
    }
}
