using System.Security.Cryptography;
using Raceway.Interop.Distributed;
using Raceway.Interop.RabbitMq;
using Raceway.Pipelines;
using Raceway.Rings;
using RabbitMQ.Client;
using static Raceway.Interop.Tests.Distributed.Receiving;

namespace Raceway.Interop.Tests.Distributed;

/// <summary>Signed frames: what was forged or altered is parked, and never taken for what is known.</summary>
public sealed class LinkKeysTests
{
    private static readonly byte[] s_old = RandomNumberGenerator.GetBytes(32);
    private static readonly byte[] s_new = RandomNumberGenerator.GetBytes(32);
    private static readonly LinkKeys s_both = new(1, new Dictionary<int, byte[]> { [1] = s_old, [2] = s_new });
    private static readonly LinkKeys s_onlyNew = new(2, new Dictionary<int, byte[]> { [2] = s_new });

    [Fact]
    public async Task OnFrame_ForgedWithARightChecksum_IsParkedAndWhatItClaimsIsStillTaken()
    {
        // It says that it is of the same producer and epoch: without keys, what comes after it would be known.
        await using Receiving receiving = await StartAsync(options: new LinkOptions { Keys = s_both });
        await receiving.Deliver(1, 1, FrameOf(0, 66, 67, 68));
        await receiving.Deliver(1, 2, Signed(s_both, 0, 10, 11, 12));
        receiving.Driver.RunUntilIdle();
        Assert.Equal([10, 11, 12], receiving.Items);
        Assert.Equal([1UL], receiving.Port.Parked);
        Assert.Equal(0, receiving.Source.Statistics.Duplicates);
        Assert.Equal("Signature; partition 0, unread", Assert.Single(receiving.Events).Detail);
    }

    [Fact]
    public async Task OnFrame_SignedAndTooManyWorkersEndedWithIt_IsParkedAndSaysWhatIsInIt()
    {
        await using Receiving receiving = await StartAsync(options: new LinkOptions { Keys = s_both });
        receiving.Port.Trial = FrameTrial.Exhausted;
        byte[] frame = Signed(s_both, 4, 10, 11, 12);
        await receiving.Handler.OnFrameAsync(new ReceivedFrame(1, 1, 0, true, frame) { IsSuspect = true });
        Assert.Equal([1UL], receiving.Port.Parked);
        Assert.StartsWith(
            "Workers; partition 0, items 4 to 6 of producer", Assert.Single(receiving.Events).Detail, StringComparison.Ordinal);
    }

    [Fact]
    public void Parked_Signed_IsReadWithTheKeysAlone()
    {
        var message = new BasicGetResult(1, false, "", "", 0, new BasicProperties(), Signed(s_both, 4, 10, 11, 12));
        var parked = new ParkedFrame(Link, s_both, message);
        Assert.Equal((FrameError.None, 4L, 3), (parked.Error, parked.First, parked.Count));
        Assert.Equal([10, 11, 12], parked.Read(Keyed.Codec).Select(static one => one.Number));
        Assert.Equal(FrameError.Signature, new ParkedFrame(Link, null, message).Error);
        Assert.Equal(FrameError.Signature, new ParkedFrame(Link, s_onlyNew, message).Error);
    }

    [Fact]
    public async Task OnFrame_KeysAreBeingChanged_TakesWhatIsSignedWithEither()
    {
        await using Receiving receiving = await StartAsync(options: new LinkOptions { Keys = s_both });
        await receiving.Deliver(1, 1, Signed(s_both, 0, 10));
        await receiving.Deliver(1, 2, Signed(s_onlyNew, 1, 11));
        receiving.Driver.RunUntilIdle();
        Assert.Equal([10, 11], receiving.Items);
        Assert.Equal(FrameError.Signature, FrameHeader.Open(Signed(s_both, 0, 10), 4096, out _, s_onlyNew));
    }

    [Fact]
    public void Open_SignedAndNoKeysHere_IsRefused() =>
        Assert.Equal(FrameError.Signature, FrameHeader.Open(Signed(s_both, 0, 10), 4096, out _));

    [Fact]
    public void Open_AnyByteIsAltered_IsRefusedThoughItsChecksumIsRight()
    {
        byte[] good = Signed(s_both, 0, 10, 11);
        Assert.Equal(FrameError.None, FrameHeader.Open(good, 4096, out FrameHeader header, s_both));
        Assert.Equal(2, header.Count);
        for (int at = FrameHeader.ChecksumEnd + sizeof(int); at < good.Length; at++)
        {
            byte[] altered = [.. good];
            altered[at] ^= 0x40;
            FrameTests.Resign(altered, signed: true);
            Assert.Equal(FrameError.Signature, FrameHeader.Open(altered, 4096, out _, s_both));
        }
    }

    [Theory]
    [InlineData(56)]
    [InlineData(91)]
    public void Open_SignedAndTooShortForASignature_IsRefused(int length)
    {
        var frame = new byte[length];
        FrameTests.Resign(frame, signed: true);
        Assert.Equal(FrameError.Signature, FrameHeader.Open(frame, 4096, out _, s_both));
    }

    [Fact]
    public void Open_Signed_AllocatesNothing()
    {
        byte[] frame = Signed(s_both, 0, [.. Enumerable.Range(0, 100)]);
        long least = long.MaxValue;
        for (int round = 0; round < 50_000 && (least > 0 || round < 1000); round++)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            FrameHeader.Open(frame, 4096, out FrameHeader header, s_both);
            header.Seal(frame, s_both);
            least = Math.Min(least, GC.GetAllocatedBytesForCurrentThread() - before);
        }

        Assert.Equal(0, least);
    }

    [Fact]
    public async Task Send_Signed_ArrivesWhole_AlsoItemsOfHalfAFrame()
    {
        var broker = new InMemoryBroker();
        var link = new LinkAddress("test.signed", 1);
        var options = new LinkOptions { Keys = s_both, FrameLength = 512, MaxFrameLength = 1024 };
        LinkSender<byte[]> sender = await LinkSender<byte[]>.OpenAsync(
            broker.Connect(), link, ItemCodec.Bytes, static (ref readonly byte[] item) => item.Length, options);
        await using Pipeline<byte[]> sending = Pipeline.Of<byte[]>(64).Stage("send", sender, Dispatch.Batch(max: 64)).Run();
        int[] lengths = [.. Enumerable.Range(0, 300).Select(static n => n % 3 == 0 ? 508 : n * 7 % 500)];
        List<int> received = [];
        var source = new LinkSource<byte[]>(link, ItemCodec.Bytes, options);
        await using Pipeline<byte[]> receiving = Pipeline.Of<byte[]>(64)
            .Stage("keep", (ref byte[] item) =>
            {
                lock (received) received.Add(item.Length);
            })
            .Stage("ack", source.Acknowledger).Run();
        await source.StartAsync(broker.Connect(), receiving);
        await source.SubscribeAsync([0]);
        using SingleProducer<byte[]> producer = sending.CreateProducer();
        foreach (int length in lengths) producer.Publish(new byte[length]);
        await Watchdog.UntilAsync(() => broker.Stored == 0 && sending.Backlog == 0 && source.Statistics.Items == 300, "300 items");
        Assert.Equal(lengths, received);
        Assert.Equal(0, source.Statistics.Parked);
        await source.DisposeAsync();
    }

    [Fact]
    public void Keys_Wrong_SayWhatToDo()
    {
        Assert.Contains("key=7, bytes=15", Assert.Throws<ArgumentException>(
            () => new LinkKeys(7, new Dictionary<int, byte[]> { [7] = new byte[15] })).Message, StringComparison.Ordinal);
        Assert.Contains("signWith=3", Assert.Throws<ArgumentException>(
            () => new LinkKeys(3, new Dictionary<int, byte[]> { [7] = new byte[16] })).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Keys_AsTextOfTheOptions_ShowTheirNumbersAlone() =>
        Assert.Contains("Keys = keys 1, 2, signs with 1,", $"{new LinkOptions { Keys = s_both }}", StringComparison.Ordinal);

    private static byte[] Signed(LinkKeys keys, long first, params int[] numbers)
    {
        var writer = new FrameWriter(256, 4096, keys);
        foreach (int number in numbers)
        {
            var item = new Keyed { Number = number };
            writer.Add(Keyed.Codec, in item, Keyed.Codec.FixedLength);
        }

        return writer.Seal(new FrameHeader(1, 1, first, numbers.Length, Keyed.Codec.FixedLength, Link.Tag, 0)).ToArray();
    }
}
