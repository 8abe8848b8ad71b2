using System.Buffers.Binary;

namespace Raceway.Suites.JournalSuite;

/// <summary>What an item of the suite holds: its index, the round that it belongs to, and text that no two neighbours share.</summary>
/// <remarks>A round that stores nothing is not taken for the one before it, since each has a number of its own.</remarks>
internal static class Logged
{
    private const int HeaderLength = 2 * sizeof(long);
    private const int Starts = 4_096;
    private const int Step = 8;
    private const int Seed = 22;

    private static readonly byte[] s_text = Text();

    /// <summary>The longest item.</summary>
    public const int MostLength = 64 << 10;

    /// <summary>Writes an item.</summary>
    public static void Fill(Span<byte> item, long index, long round)
    {
        BinaryPrimitives.WriteInt64LittleEndian(item, index);
        BinaryPrimitives.WriteInt64LittleEndian(item[sizeof(long)..], round);
        TextOf(index, item.Length).CopyTo(item[HeaderLength..]);
    }

    /// <summary>Whether it is that item, each byte of it.</summary>
    public static bool Is(ReadOnlySpan<byte> item, int length, long index, long round) =>
        item.Length == length
        && BinaryPrimitives.ReadInt64LittleEndian(item) == index
        && BinaryPrimitives.ReadInt64LittleEndian(item[sizeof(long)..]) == round
        && item[HeaderLength..].SequenceEqual(TextOf(index, length));

    private static ReadOnlySpan<byte> TextOf(long index, int length) =>
        s_text.AsSpan((int)(index % Starts) * Step, length - HeaderLength);

    private static byte[] Text()
    {
        byte[] text = new byte[MostLength + (Starts * Step)];
        new Random(Seed).NextBytes(text);
        return text;
    }
}
