using System.Security.Cryptography;
using System.Text;

namespace Raceway.Suites.MainJob;

/// <summary>What a run must give, computed from the files by one thread with none of the pipeline's own code.</summary>
/// <remarks>
/// It reads whole files, cuts and classifies lines as text, and keeps the value that each line adds to the fold, so that
/// the totals of any number of lines and passes can be told. Only the definition of the fold itself is shared.
/// </remarks>
public sealed class ExpectedTotals
{
    private readonly List<ulong> _values = [];
    private readonly List<LineKind> _kinds = [];
    private readonly List<int> _sizes = [];

    private ExpectedTotals()
    {
    }

    /// <summary>Lines of the input.</summary>
    public int Lines => _values.Count;

    /// <summary>Bytes of the input.</summary>
    public long Bytes { get; private set; }

    /// <summary>Reads the files again and computes what a run over them must give.</summary>
    /// <param name="parts">The files, and how many bytes of each the run met: one that grows is not read further.</param>
    /// <param name="hashed">Whether the fold is over digests, or over what parse finds.</param>
    /// <param name="cancellation">Ends it between two files.</param>
    /// <exception cref="InputException">A file vanished or shrank meanwhile.</exception>
    public static ExpectedTotals Compute(
        IEnumerable<(string Path, long Bytes)> parts, bool hashed, CancellationToken cancellation = default)
    {
        var expected = new ExpectedTotals();
        foreach ((string path, long bytes) in parts)
        {
            cancellation.ThrowIfCancellationRequested();
            expected.AddFile(Whole(path, bytes), hashed);
        }

        return expected;
    }

    /// <summary>Whether <paramref name="totals"/> are those of <paramref name="lines"/> lines of endless passes.</summary>
    /// <param name="totals">What was found.</param>
    /// <param name="lines">How many lines.</param>
    /// <param name="from">The first of them.</param>
    public bool Agree(LineTotals totals, long lines, long from = 0)
    {
        ulong fold = 0;
        long bytes = 0;
        Span<long> kinds = stackalloc long[totals.Kinds.Length];
        kinds.Clear();
        for (long done = 0; done < lines;)
        {
            int first = (int)((from + done) % Lines);
            int pass = (int)Math.Min(lines - done, Lines - first);
            for (int line = first; line < first + pass; line++)
            {
                fold = LineTotals.Step(fold, _values[line]);
                bytes += _sizes[line];
                kinds[(int)_kinds[line]]++;
            }

            done += pass;
        }

        return totals.Lines == lines && totals.Bytes == bytes && totals.Fold == fold && totals.Kinds.SequenceEqual(kinds);
    }

    /// <summary>Whether <paramref name="totals"/> are those of one pass over the whole input.</summary>
    public bool Agree(LineTotals totals) => Agree(totals, Lines);

    private static byte[] Whole(string path, long bytes)
    {
        try
        {
            byte[] content = File.ReadAllBytes(path);
            return content.LongLength >= bytes
                ? content[..(int)bytes]
                : throw new InputException($"'{path}' shrank while it was read; run again when the input is at rest.");
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            throw InputException.Reading(path, error);
        }
    }

    private void AddFile(byte[] content, bool hashed)
    {
        Bytes += content.LongLength;
        for (int start = 0; start < content.Length;)
        {
            int feed = Array.IndexOf(content, (byte)'\n', start);
            int end = feed < 0 ? content.Length : feed;
            AddLine(content.AsSpan(start, end - start), terminated: feed >= 0, hashed);
            start = end + 1;
        }
    }

    private void AddLine(ReadOnlySpan<byte> bytes, bool terminated, bool hashed)
    {
        // Latin-1 maps bytes to characters one to one, so positions in the text are positions in the bytes.
        string line = Encoding.Latin1.GetString(bytes);
        string text = line.TrimStart(' ', '\t', '\r');
        LineKind kind = KindOf(text);
        _kinds.Add(kind);
        _sizes.Add(bytes.Length + (terminated ? 1 : 0));
        _values.Add(hashed
            ? HashedLine.Combine(SHA512.HashData(bytes))
            : ParsedValue(line.Length, kind, line.Length - text.Length, text.Length > 0 ? text[0] : '\0', terminated));
    }

    private static LineKind KindOf(string text)
    {
        if (text.Length == 0)
        {
            return LineKind.Blank;
        }

        string[] members = ["T", "M", "P", "F", "E"];
        int member = Array.FindIndex(members, prefix => text.StartsWith($"<member name=\"{prefix}:", StringComparison.Ordinal));
        return member >= 0 ? (LineKind)((int)LineKind.Type + member)
            : text.StartsWith("</", StringComparison.Ordinal) ? LineKind.CloseTag
            : text[0] == '<' ? LineKind.Tag
            : LineKind.Text;
    }

    private static ulong ParsedValue(int length, LineKind kind, int indent, char lead, bool terminated) =>
        ((ulong)length << 32) | ((ulong)kind << 24) | ((ulong)Math.Min(indent, 255) << 16)
        | ((ulong)lead << 8) | (terminated ? 1u : 0u);
}
