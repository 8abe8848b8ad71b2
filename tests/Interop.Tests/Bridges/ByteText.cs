using System.Buffers;
using System.Buffers.Text;
using System.Globalization;

namespace Raceway.Interop.Tests.Bridges;

/// <summary>Numbers as bytes, and frames cut by hand: what the framing of the library is compared with.</summary>
internal static class ByteText
{
    public static long Parse(ReadOnlySpan<byte> text) => long.Parse(text, NumberStyles.Integer, CultureInfo.InvariantCulture);

    public static ReadOnlySpan<byte> Format(long number, byte[] text)
    {
        Utf8Formatter.TryFormat(number, text, out int length);
        return text.AsSpan(0, length);
    }

    public static bool TryCut(ref ReadOnlySequence<byte> bytes, Framing framing, out long number)
    {
        number = 0;
        var reader = new SequenceReader<byte>(bytes);
        if (framing.ToString()!.StartsWith("newline", StringComparison.Ordinal))
        {
            if (!reader.TryReadTo(out ReadOnlySequence<byte> line, (byte)'\n')) return false;
            number = Parse(line.ToArray());
        }
        else
        {
            if (!reader.TryReadBigEndian(out int length) || reader.Remaining < length) return false;
            number = Parse(reader.UnreadSequence.Slice(0, length).ToArray());
            reader.Advance(length);
        }

        bytes = bytes.Slice(reader.Position);
        return true;
    }
}
