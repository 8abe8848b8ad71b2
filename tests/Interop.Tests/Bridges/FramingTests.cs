using System.Buffers;
using System.Text;

namespace Raceway.Interop.Tests.Bridges;

/// <summary>Where frames begin and end, and what is refused before it is collected.</summary>
public sealed class FramingTests
{
    [Theory]
    [InlineData("", false, "")]
    [InlineData("a\nbc\n", false, "a|bc|")]
    [InlineData("a\nbc", false, "a|")]
    [InlineData("a\nbc", true, "a|bc|")]
    [InlineData("a\r\n\r\n\n", true, "a|||")]
    [InlineData("a\rb\r", true, "a\rb|")]
    [InlineData("12345678\n12345678\r\n", false, "12345678|12345678|")]
    public void Newline_Bytes_AreCutAtLineFeeds(string text, bool isLast, string expected) =>
        Assert.All([1, 2, 3, 100], segment => Assert.Equal(expected, Cut(Framing.Newline(8), Encoding.ASCII.GetBytes(text), isLast, segment)));

    [Theory]
    [InlineData("00000000", "|")]
    [InlineData("0000000161", "a|")]
    [InlineData("00000001610000000262", "a|")]
    [InlineData("0000000161000000026263", "a|bc|")]
    public void LengthPrefixed_Bytes_AreCutByTheirLengths(string hex, string expected) =>
        Assert.All([1, 3, 100], segment =>
            Assert.Equal(expected, Cut(Framing.LengthPrefixed(8), Convert.FromHexString(hex), isLast: false, segment)));

    [Theory]
    [InlineData("FFFFFFFF")]
    [InlineData("80000000")]
    [InlineData("0000000900")]
    public void LengthPrefixed_BombLength_IsRefusedBeforeItIsCollected(string hex)
    {
        var bytes = new ReadOnlySequence<byte>(Convert.FromHexString(hex));
        var error = Assert.Throws<InvalidDataException>(() => Framing.LengthPrefixed(8).TryRead(ref bytes, false, out _));
        Assert.Contains("must be 8 bytes or less", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("123456789\n", false)]
    [InlineData("1234567890", false)]
    [InlineData("123456789", true)]
    public void Newline_TooLong_IsRefusedBeforeItsEnd(string text, bool isLast)
    {
        var bytes = new ReadOnlySequence<byte>(Encoding.ASCII.GetBytes(text));
        Assert.Throws<InvalidDataException>(() => Framing.Newline(8).TryRead(ref bytes, isLast, out _));
    }

    [Theory]
    [InlineData("000000")]
    [InlineData("0000000261")]
    public void LengthPrefixed_CutShort_IsRefusedAtTheEndOnly(string hex)
    {
        var bytes = new ReadOnlySequence<byte>(Convert.FromHexString(hex));
        Assert.False(Framing.LengthPrefixed(8).TryRead(ref bytes, false, out _));
        Assert.Throws<InvalidDataException>(() => Framing.LengthPrefixed(8).TryRead(ref bytes, true, out _));
    }

    [Fact]
    public void Write_FrameThatCannotBe_WritesNothing()
    {
        var target = new ArrayBufferWriter<byte>();
        Assert.Throws<InvalidDataException>(() => Framing.Newline(8).Write(target, "a\nb"u8));
        Assert.Throws<InvalidDataException>(() => Framing.Newline(8).Write(target, "123456789"u8));
        Assert.Throws<InvalidDataException>(() => Framing.LengthPrefixed(8).Write(target, "123456789"u8));
        Assert.Equal(0, target.WrittenCount);
        Framing.LengthPrefixed(8).Write(target, "ab"u8);
        Framing.Newline(8).Write(target, "c"u8);
        Assert.Equal("00000002" + "6162" + "630A", Convert.ToHexString(target.WrittenSpan));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    public void MaxLength_BelowOne_IsRefused(int maxLength)
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => Framing.Newline(maxLength));
        Assert.Throws<ArgumentOutOfRangeException>(() => Framing.LengthPrefixed(maxLength));
    }

    private static string Cut(Framing framing, byte[] bytes, bool isLast, int segment)
    {
        ReadOnlySequence<byte> left = Segment.Of(bytes, segment);
        var frames = new StringBuilder();
        while (framing.TryRead(ref left, isLast, out ReadOnlySequence<byte> frame))
            frames.Append(Encoding.ASCII.GetString(frame)).Append('|');
        return frames.ToString();
    }

    private sealed class Segment : ReadOnlySequenceSegment<byte>
    {
        public static ReadOnlySequence<byte> Of(byte[] bytes, int size)
        {
            if (bytes.Length == 0) return default;
            Segment? first = null;
            Segment? last = null;
            for (int at = 0; at < bytes.Length; at += size)
            {
                var next = new Segment { Memory = bytes.AsMemory(at, Math.Min(size, bytes.Length - at)), RunningIndex = at };
                first ??= next;
                if (last is not null) last.Next = next;
                last = next;
            }

            return new ReadOnlySequence<byte>(first!, 0, last!, last!.Memory.Length);
        }
    }
}
