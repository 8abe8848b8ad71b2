namespace Raceway.Suites.MainJob;

/// <summary>Input in memory, cut into lines beforehand, so that timed rounds measure the hand-over and not the disk.</summary>
public sealed class LoadedInput
{
    /// <summary>Bytes after which loading stops: hashing them takes a core about an eighth of a second.</summary>
    public const long DefaultByteLimit = 64L << 20;

    /// <summary>Lines after which loading stops: hashing them takes a core about an eighth of a second, too.</summary>
    /// <remarks>
    /// About half of the default input. Every contestant makes whole passes, so all see the same mix of lines, and a pass
    /// must be short for many contestants to have enough rounds within the minute.
    /// </remarks>
    public const int DefaultLineLimit = 200_000;

    private readonly Line[] _lines;

    private LoadedInput(Line[] lines, IReadOnlyList<(string, long)> parts, bool isCut)
    {
        _lines = lines;
        Parts = parts;
        IsCut = isCut;
        foreach (ref readonly Line line in lines.AsSpan())
        {
            Bytes += line.Length + line.Terminator;
        }
    }

    /// <summary>The lines, in order.</summary>
    public ReadOnlySpan<Line> Lines => _lines;

    /// <summary>The lines, for code that awaits between them.</summary>
    public ReadOnlyMemory<Line> Memory => _lines;

    /// <summary>Bytes of all lines with their line feeds.</summary>
    public long Bytes { get; }

    /// <summary>The files that the lines come from, with the bytes taken of each.</summary>
    public IReadOnlyList<(string Path, long Bytes)> Parts { get; }

    /// <summary>True where a limit left lines out.</summary>
    public bool IsCut { get; }

    /// <summary>Loads files from the beginning up to the limits.</summary>
    /// <exception cref="InputException">A file vanished or cannot be read, or there is no line at all.</exception>
    public static LoadedInput Load(
        IReadOnlyList<string> files,
        long byteLimit = DefaultByteLimit,
        int lineLimit = DefaultLineLimit,
        CancellationToken cancellation = default)
    {
        using var pool = ChunkPool.ForGood();
        using var reader = new LineReader(files, pool);
        var lines = new List<Line>();
        var buffer = new Line[256];
        long bytes = 0;
        bool isCut = false;
        for (int read; !isCut && (read = reader.Read(buffer)) > 0;)
        {
            cancellation.ThrowIfCancellationRequested();
            foreach (ref Line line in buffer.AsSpan(0, read))
            {
                // The first line is always taken, however long.
                bytes += line.Length + line.Terminator;
                isCut = lines.Count > 0 && (bytes > byteLimit || lines.Count == lineLimit);
                if (isCut)
                {
                    break;
                }

                lines.Add(line);
            }
        }

        return lines.Count > 0
            ? Of([.. lines], files, isCut)
            : throw new InputException("the input holds no lines: every file is empty.");
    }

    private static LoadedInput Of(Line[] lines, IReadOnlyList<string> files, bool isCut)
    {
        var bytes = new long[files.Count];
        foreach (ref readonly Line line in lines.AsSpan())
        {
            bytes[line.FileIndex] += line.Length + line.Terminator;
        }

        return new LoadedInput(lines, [.. files.Zip(bytes)], isCut);
    }
}
