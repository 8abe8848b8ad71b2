using System.Runtime.InteropServices;
using Raceway.Interop.Distributed;
using Raceway.Interop.RabbitMq;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop.Tests.Distributed;

public sealed class LinkTests
{
    private static readonly LinkAddress s_link = Receiving.Link;

    [Fact]
    public async Task OnFrame_KnownItemsInANewSession_IsAcknowledgedOnlyWhenTheyArePassed()
    {
        // The delivery that brought them has ended with its session: the second one is the only copy that the broker has.
        await using Receiving receiving = await Receiving.StartAsync();
        await receiving.Deliver(session: 1, tag: 1, Receiving.FrameOf(0, 1, 2));
        receiving.Handler.OnSession(2);
        await receiving.Deliver(session: 2, tag: 1, Receiving.FrameOf(0, 1, 2));
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
        await receiving.Deliver(1, 1, Receiving.FrameOf(5, 15, 16));
        await receiving.Deliver(1, 2, Receiving.FrameOf(3, 13, 14));
        receiving.Driver.RunUntilIdle();
        Assert.Equal([15, 16, 13, 14], receiving.Items);
        Assert.Equal(0, receiving.Source.Statistics.Duplicates);
    }

    [Fact]
    public async Task OnFrame_OverlapsWhatIsKnown_OnlyTheRestIsTaken()
    {
        await using Receiving receiving = await Receiving.StartAsync();
        await receiving.Deliver(1, 1, Receiving.FrameOf(0, 10, 11));
        await receiving.Deliver(1, 2, Receiving.FrameOf(1, 11, 12, 13));
        receiving.Driver.RunUntilIdle();
        Assert.Equal([10, 11, 12, 13], receiving.Items);
    }

    [Fact]
    public async Task OnFrame_OneBeforeItIsMissing_IsTakenAndReported()
    {
        await using Receiving receiving = await Receiving.StartAsync();
        await receiving.Deliver(1, 1, Receiving.FrameOf(0, 10));
        await receiving.Deliver(1, 2, Receiving.FrameOf(5, 15));
        receiving.Driver.RunUntilIdle();
        Assert.Equal([10, 15], receiving.Items);
        Assert.Equal(1, receiving.Source.Statistics.Gaps);
        Assert.Contains(receiving.Events, one => one.Kind == LinkEventKind.Gap && one.Detail.Contains("1 to 4", StringComparison.Ordinal));
    }

    [Fact]
    public async Task OnFrame_NotRight_IsParkedAndNeverAcknowledged()
    {
        await using Receiving receiving = await Receiving.StartAsync();
        byte[] elsewhere = Receiving.FrameOf(0, 1);
        new FrameHeader(1, 1, 0, 1, Keyed.Codec.FixedLength, 12345, 0).Seal(elsewhere);
        byte[] flipped = Receiving.FrameOf(0, 1);
        flipped[^1]++;
        await receiving.Deliver(1, 1, Receiving.FrameOf(0, 10));
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
        await receiving.Deliver(1, 1, Receiving.FrameOf(0, 1, 2, 666));
        await receiving.Deliver(1, 2, Receiving.FrameOf(3, 4));
        receiving.Driver.RunUntilIdle();
        Assert.Equal([4], receiving.Items);
        Assert.Equal([1UL], receiving.Port.Parked);
    }

    [Fact]
    public async Task OnFrame_Stopped_IsNeitherTakenNorAcknowledged()
    {
        await using Receiving receiving = await Receiving.StartAsync();
        await receiving.Deliver(1, 1, Receiving.FrameOf(0, 10));
        receiving.Source.Stop();
        await receiving.Deliver(1, 2, Receiving.FrameOf(1, 11));
        receiving.Driver.RunUntilIdle();
        Assert.Equal([10], receiving.Items);
        Assert.Equal([(1L, 1UL)], receiving.Port.Acknowledged);
    }

    [Fact]
    public async Task OnFrame_ManyItems_AllocatesNothing()
    {
        await using Receiving receiving = await Receiving.StartAsync(keep: false);
        byte[] frame = Receiving.FrameOf(0, [.. Enumerable.Range(0, 100)]);
        const int Rounds = 2_000, MostRounds = 50_000;
        long least = long.MaxValue;
        int rounds = 0;
        // Until it is compiled for speed, which is later on a crowded machine, a frame costs some bytes. Its own would be in
        // every round.
        for (; rounds < Rounds || (least > 0 && rounds < MostRounds); rounds++)
        {
            new FrameHeader(1, 1, rounds * 100, 100, Keyed.Codec.FixedLength, s_link.Tag, 0).Seal(frame);
            long before = GC.GetAllocatedBytesForCurrentThread();
            ValueTask taken = receiving.Handler.OnFrameAsync(new ReceivedFrame(1, (ulong)rounds + 1, 0, false, frame));
            least = Math.Min(least, GC.GetAllocatedBytesForCurrentThread() - before);
            Assert.True(taken.IsCompletedSuccessfully);
            receiving.Driver.RunUntilIdle();
        }

        Assert.Equal(0, least);
        Assert.Equal(rounds * 100L, receiving.Source.Statistics.Items);
    }

    [Fact]
    public async Task Start_AStageBesideTheAcknowledging_IsRefused()
    {
        var source = new LinkSource<Keyed>(s_link, Keyed.Codec);
        await using Pipeline<Keyed> pipeline = Pipeline.Of<Keyed>(64)
            .Stage("one", static (ref Keyed _) => { })
            .After().Stage("two", static (ref Keyed _) => { })
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
    [InlineData("user:very-secret:5672")]
    [InlineData("user:very-secret")]
    [InlineData("very-secret host:5672")]
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
    public void RabbitMqOptions_AsText_KeepTheirPartsApart() => Assert.Equal(
        "me@[::1]:5672,b:2, virtualHost='nope'",
        new RabbitMqOptions { UserName = "me", Nodes = ["[::1]:5672", "b:2"], VirtualHost = "nope" }.ToString());

    [Theory]
    [InlineData("look into the logfile.")]
    [InlineData("look into the logfile")]
    public void Unreachable_CauseWithOrWithoutAFullStop_IsOneSentence(string cause)
    {
        LinkTransportException unreachable = RabbitMqErrors.Unreachable(new RabbitMqOptions(), new IOException(cause));
        Assert.Contains("logfile. Start it", unreachable.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("..", unreachable.Message, StringComparison.Ordinal);
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
}
