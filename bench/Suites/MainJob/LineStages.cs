using System.Runtime.CompilerServices;
using System.Security.Cryptography;
using Raceway.Suites.MainJob.Hashing;

namespace Raceway.Suites.MainJob;

/// <summary>The stages of the main job, the same code for every contestant; the last one is <see cref="LineTotals"/>.</summary>
public static class LineStages
{
    /// <summary>Stage one: classifies the line by its first bytes.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Parse<TItem>(ref TItem item)
        where TItem : struct, ILineItem<TItem> => Classify(ref TItem.LineOf(ref item));

    /// <summary>Stage one over a batch.</summary>
    public static void Parse<TItem>(Span<TItem> items)
        where TItem : struct, ILineItem<TItem>
    {
        foreach (ref TItem item in items)
        {
            Classify(ref TItem.LineOf(ref item));
        }
    }

    /// <summary>Stage two, where the item has room for it: SHA-512 of the line's bytes.</summary>
    public static void Hash<TItem>(ref TItem item)
        where TItem : struct, ILineItem<TItem> => Sha512Batch.Hash(TItem.LineOf(ref item).Bytes, TItem.DigestOf(ref item));

    /// <summary>Stage two over a batch: several lines side by side.</summary>
    public static void Hash<TItem>(Span<TItem> items)
        where TItem : struct, ILineItem<TItem> => Sha512Batch.Hash(new LineMessages<TItem>(items));

    /// <summary>Stage two over a batch, line by line with the runtime's own SHA-512.</summary>
    public static void HashData<TItem>(Span<TItem> items)
        where TItem : struct, ILineItem<TItem>
    {
        foreach (ref TItem item in items) SHA512.HashData(TItem.LineOf(ref item).Bytes, TItem.DigestOf(ref item));
    }

    private static void Classify(ref Line line)
    {
        ReadOnlySpan<byte> bytes = line.Bytes;
        int indent = 0;
        while (indent < bytes.Length && IsBlank(bytes[indent]))
        {
            indent++;
        }

        line.Indent = (byte)Math.Min(indent, byte.MaxValue);
        ReadOnlySpan<byte> text = bytes[indent..];
        if (text.IsEmpty)
        {
            line.Lead = 0;
            line.Kind = LineKind.Blank;
            return;
        }

        line.Lead = text[0];
        line.Kind = text[0] == (byte)'<' ? KindOfTag(text) : LineKind.Text;
    }

    /// <summary>Space, tab or carriage return (which belongs to the line where the line ends in CRLF).</summary>
    private static bool IsBlank(byte value) => value is (byte)' ' or (byte)'\t' or (byte)'\r';

    private static LineKind KindOfTag(ReadOnlySpan<byte> text)
    {
        ReadOnlySpan<byte> member = "<member name=\""u8;
        if (text.Length >= member.Length + 2 && text[member.Length + 1] == (byte)':' && text.StartsWith(member))
        {
            return text[member.Length] switch
            {
                (byte)'T' => LineKind.Type,
                (byte)'M' => LineKind.Method,
                (byte)'P' => LineKind.Property,
                (byte)'F' => LineKind.Field,
                (byte)'E' => LineKind.Event,
                _ => LineKind.Tag,
            };
        }

        return text.Length > 1 && text[1] == (byte)'/' ? LineKind.CloseTag : LineKind.Tag;
    }

    private readonly ref struct LineMessages<TItem>(Span<TItem> items) : IMessages
        where TItem : struct, ILineItem<TItem>
    {
        private readonly Span<TItem> _items = items;

        public int Count => _items.Length;

        public ReadOnlySpan<byte> BytesOf(int index) => TItem.LineOf(ref _items[index]).Bytes;

        public Span<byte> DigestOf(int index) => TItem.DigestOf(ref _items[index]);
    }
}
