using System.Buffers;
using System.Buffers.Binary;
using Raceway.Interop.Distributed;
using Raceway.Rings;

namespace Raceway.Suites.Batching.Rabbit;

/// <summary>A line on its way over a link: its index, and behind the link what its text came to.</summary>
internal struct LinkItem
{
    public long Index;
    public ulong Text;
}

/// <summary>Writes the index and the text of a line; reads them back as index and a number made of the text.</summary>
internal sealed class LinkItemCodec : IItemCodec<LinkItem>
{
    public void Write(ref readonly LinkItem item, IBufferWriter<byte> output)
    {
        ReadOnlySpan<byte> text = Corpus.Lines[item.Index];
        Span<byte> into = output.GetSpan(sizeof(long) + text.Length);
        BinaryPrimitives.WriteInt64LittleEndian(into, item.Index);
        text.CopyTo(into[sizeof(long)..]);
        output.Advance(sizeof(long) + text.Length);
    }

    public void Read(ReadOnlySpan<byte> bytes, ref LinkItem item) =>
        item = new LinkItem { Index = BinaryPrimitives.ReadInt64LittleEndian(bytes), Text = LinkItems.NumberOf(bytes[sizeof(long)..]) };
}

/// <summary>The lines behind a link: whether each came once, unchanged, and in the order of its key.</summary>
internal sealed class LinkItems : IBatchHandler<LinkItem>
{
    private const int Keys = 1_024;

    private readonly long[] _next = [.. Enumerable.Range(0, Keys).Select(static key => (long)key)];
    private Round _round = new(0);
    private bool _isWrong;

    /// <summary>Whether all that has come was right.</summary>
    public bool IsRight => !Volatile.Read(ref _isWrong);

    private static ulong[] Expected { get; } = [.. Enumerable.Range(0, Corpus.Count).Select(static i => NumberOf(Corpus.Lines[i]))];

    /// <summary>The key of a line.</summary>
    public static int KeyOf(long index) => (int)(index % Keys);

    /// <summary>A text as a number.</summary>
    public static ulong NumberOf(ReadOnlySpan<byte> text)
    {
        Fold fold = default;
        fold.Take(text);
        return fold.Value;
    }

    /// <summary>Begins a round, before its first line is published.</summary>
    /// <returns>Completes when so many lines have come.</returns>
    public Task Expect(long lines)
    {
        var round = new Round(lines);
        Volatile.Write(ref _round, round);
        return round.Done.Task;
    }

    public void OnBatch(Batch<LinkItem> batch)
    {
        foreach (ref readonly LinkItem item in batch)
        {
            ref long next = ref _next[KeyOf(item.Index)];
            if (item.Index != next || item.Text != Expected[item.Index % Corpus.Count]) Volatile.Write(ref _isWrong, true);
            next = item.Index + Keys;
        }

        Round round = Volatile.Read(ref _round);
        if ((round.Left -= batch.Count) <= 0) round.Done.TrySetResult();
    }

    private sealed class Round(long lines)
    {
        public long Left = lines;

        public TaskCompletionSource Done { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);
    }
}
