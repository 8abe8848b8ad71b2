using System.Buffers;
using System.Buffers.Binary;
using Raceway.Interop.Checksums;
using Raceway.Interop.Distributed;

namespace Raceway.Interop.Tests.Distributed;

public sealed class FrameTests
{
    private const int Limit = 4096;

    [Fact]
    public void Open_WhatWasSealed_HasTheSameHeaderAndItems()
    {
        byte[] frame = FrameOf([1, 2, 3], [], [4]);
        Assert.Equal(FrameError.None, FrameHeader.Open(frame, Limit, out FrameHeader header));
        Assert.Equal(new FrameHeader(11, 22, 33, 3, 0, 44, 5), header);
        Assert.Equal(35, header.Last);
        int at = FrameHeader.Size;
        Assert.Equal([1, 2, 3], FrameItems.Next(frame, 0, ref at).ToArray());
        Assert.Equal([], FrameItems.Next(frame, 0, ref at).ToArray());
        Assert.Equal([4], FrameItems.Next(frame, 0, ref at).ToArray());
        Assert.Equal(frame.Length, at);
    }

    [Fact]
    public void LinkFrame_OfAMessage_TellsWhatItHolds()
    {
        var writer = new FrameWriter(256, Limit);
        foreach (long item in new long[] { 7, 8 }) writer.Add(ItemCodec.Unmanaged<long>(), in item, sizeof(long));
        var frame = new LinkFrame(writer.Seal(new FrameHeader(11, 22, 33, 2, sizeof(long), 44, 5)).ToArray());

        Assert.Equal((FrameError.None, new LinkStream(11, 22, 5), 33L, 2), (frame.Error, frame.Stream, frame.First, frame.Count));
        Assert.Equal([7L, 8L], frame.Read(ItemCodec.Unmanaged<long>()));
        Assert.Contains("items 33 to 34", frame.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public void LinkFrame_OfAnotherMessage_IsAnErrorAndHasNoItems()
    {
        var frame = new LinkFrame(new byte[100]);

        Assert.Equal((FrameError.Magic, null, 0), (frame.Error, frame.Stream, frame.Count));
        Assert.Contains("error=Magic", Assert.Throws<InvalidOperationException>(() => frame.Read(ItemCodec.Unmanaged<long>())).Message, StringComparison.Ordinal);
        Assert.Contains("no frame (Magic)", frame.ToString(), StringComparison.Ordinal);
        Assert.Throws<ArgumentNullException>(() => frame.Read<long>(null!));
    }

    [Fact]
    public void TrialLimit_Halves_AreTogetherOneMoreThanTheLimit()
    {
        for (int limit = 1; limit < 50; limit++)
            Assert.Equal(limit + 1, TrialLimit.SuspectAfter(limit) + TrialLimit.MostEnded(limit));
        Assert.Throws<ArgumentOutOfRangeException>(static () => TrialLimit.SuspectAfter(0));
        Assert.Throws<ArgumentOutOfRangeException>(static () => TrialLimit.MostEnded(0));
        Assert.Throws<ArgumentOutOfRangeException>(static () => new InMemoryBroker(new InMemoryBrokerOptions { DeliveryLimit = 0 }));
    }

    [Theory]
    [InlineData(0, 0, FrameError.Magic)]
    [InlineData(4, 2, FrameError.Version)]
    [InlineData(7, 1, FrameError.Version)]
    [InlineData(8, 0, FrameError.Checksum)]
    [InlineData(12, 1, FrameError.Length)]
    [InlineData(15, 0x7f, FrameError.Length)]
    [InlineData(16, 0, FrameError.Checksum)]
    [InlineData(60, 9, FrameError.Checksum)]
    public void Open_AByteIsAnother_IsRefused(int at, byte value, FrameError expected)
    {
        byte[] frame = FrameOf([1, 2, 3]);
        frame[at] = value;
        Assert.Equal(expected, FrameHeader.Open(frame, Limit, out _));
    }

    [Theory]
    [InlineData(40, 0)]
    [InlineData(40, -1)]
    [InlineData(40, int.MaxValue)]
    [InlineData(40, 2)]
    [InlineData(44, -8)]
    [InlineData(44, int.MaxValue)]
    [InlineData(44, 8)]
    [InlineData(56, -1)]
    [InlineData(56, int.MaxValue)]
    [InlineData(56, 2)]
    [InlineData(36, int.MinValue)]
    public void Open_LengthsThatCannotBe_IsRefusedThoughItsChecksumIsRight(int at, int value)
    {
        byte[] frame = FrameOf([1, 2, 3]);
        BinaryPrimitives.WriteInt32LittleEndian(frame.AsSpan(at), value);
        Resign(frame);
        Assert.Equal(FrameError.Items, FrameHeader.Open(frame, Limit, out _));
    }

    [Fact]
    public void Open_TooShortOrTooLong_IsRefused()
    {
        Assert.Equal(FrameError.TooShort, FrameHeader.Open([], Limit, out _));
        Assert.Equal(FrameError.TooShort, FrameHeader.Open(new byte[FrameHeader.Size - 1], Limit, out _));
        Assert.Equal(FrameError.TooLong, FrameHeader.Open(new byte[Limit + 1], Limit, out _));
    }

    [Fact]
    public void Open_AnythingAtAll_NeverThrowsNorAllocatesNorWalksOutside()
    {
        var random = new Random(5);
        byte[] good = FrameOf([1, 2, 3], [4, 5], [], [6]);
        var bytes = new byte[Limit];
        long before = GC.GetAllocatedBytesForCurrentThread();
        int opened = 0;
        int outside = 0;
        for (int round = 0; round < 200_000; round++)
        {
            Span<byte> frame = bytes.AsSpan(0, round % 3 == 0 ? random.Next(200) : good.Length);
            if (round % 3 == 0) random.NextBytes(frame);
            else good.CopyTo(frame);
            for (int flips = random.Next(1, 5); flips > 0 && frame.Length > 12; flips--)
                frame[random.Next(12, frame.Length)] = (byte)random.Next(256);
            // Half of them as somebody would send them who knows the format.
            if (round % 2 == 0 && frame.Length >= FrameHeader.Size) Resign(frame);
            if (FrameHeader.Open(frame, Limit, out FrameHeader header) != FrameError.None) continue;
            opened++;
            int at = FrameHeader.Size;
            for (int i = 0; i < header.Count; i++) _ = FrameItems.Next(frame, header.ItemLength, ref at);
            if (at != frame.Length) outside++;
        }

        Assert.Equal(0, GC.GetAllocatedBytesForCurrentThread() - before);
        Assert.Equal(0, outside);
        Assert.True(opened > 1000, $"{opened} could be opened");
    }

    [Fact]
    public void Add_ItemLongerThanTheFrame_IsRefusedAndLeavesTheFrameAsItWas()
    {
        var writer = new FrameWriter(256, 512);
        byte[] small = [1];
        byte[] large = new byte[600];
        writer.Add(ItemCodec.Bytes, in small, 0);
        int length = writer.Length;
        InvalidOperationException refused = Assert.Throws<InvalidOperationException>(() => writer.Add(ItemCodec.Bytes, in large, 0));
        Assert.Contains("maxFrameLength=512", refused.Message, StringComparison.Ordinal);
        Assert.Equal((length, 1), (writer.Length, writer.Count));
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

    internal static byte[] FrameOf(params byte[][] items)
    {
        var writer = new FrameWriter(256, Limit);
        foreach (byte[] item in items) writer.Add(ItemCodec.Bytes, in item, 0);
        return writer.Seal(new FrameHeader(11, 22, 33, items.Length, 0, 44, 5)).ToArray();
    }

    internal static void Resign(Span<byte> frame, bool signed = false)
    {
        BinaryPrimitives.WriteInt32LittleEndian(frame[12..], frame.Length);
        BinaryPrimitives.WriteUInt32LittleEndian(frame, 0x3146_5752);
        BinaryPrimitives.WriteInt32LittleEndian(frame[4..], signed ? 0x1_0001 : 1);
        BinaryPrimitives.WriteUInt32LittleEndian(frame[8..], Crc32C.Of(frame[12..]));
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
}
