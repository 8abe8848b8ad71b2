using Microsoft.Win32.SafeHandles;

namespace Raceway.Suites.MainJob;

/// <summary>Reads files one after another and hands out their lines as slices of pooled chunks.</summary>
/// <remarks>
/// Lines agree with <c>grep -c ''</c>: a line feed ends a line, a last line without one counts, an empty file has none.
/// A line never spans two chunks: an unfinished one is copied to the next chunk, which is made larger for it where it must be.
/// Small files share a chunk. Nothing is allocated per line.
/// </remarks>
public sealed class LineReader : IDisposable
{
    private const byte LineFeed = (byte)'\n';

    private readonly IReadOnlyList<string> _files;
    private readonly ChunkPool _pool;
    private readonly long[] _fileBytes;
    private SafeFileHandle? _file;
    private int _fileIndex = -1;
    private Chunk? _chunk;
    private bool _chunkHasLines;
    private int _start;     // first byte not yet handed out
    private int _searched;  // no line feed in [_start, _searched): a long line is not searched again at every read
    private int _end;       // end of the bytes read

    /// <summary>Creates a reader.</summary>
    /// <param name="files">The files, in order.</param>
    /// <param name="pool">Where chunks come from and go back to.</param>
    public LineReader(IReadOnlyList<string> files, ChunkPool pool)
    {
        _files = files;
        _pool = pool;
        _fileBytes = new long[files.Count];
    }

    /// <summary>The files read, in order.</summary>
    public IReadOnlyList<string> Files => _files;

    /// <summary>Bytes met in each file so far; a file that grows is read to the end that is met.</summary>
    public IReadOnlyList<long> FileBytes => _fileBytes;

    /// <summary>Hands out the next lines.</summary>
    /// <remarks>
    /// It reads, and may wait for a chunk, only while it has no line to hand out. So publish what a call gave before
    /// calling again; otherwise the chunk it waits for may be held up by the caller.
    /// </remarks>
    /// <returns>Lines written to <paramref name="lines"/>; 0 at the end of the input.</returns>
    /// <exception cref="InputException">A file vanished or cannot be read.</exception>
    /// <exception cref="OperationCanceledException">The pool's stop token, or <see cref="Abort"/>.</exception>
    public int Read(Span<Line> lines)
    {
        int count = 0;
        while (count < lines.Length)
        {
            if (TrySlice(ref lines[count]))
            {
                count++;
            }
            else if (count > 0 || !Fill(ref lines[0], ref count))
            {
                break;
            }
        }

        return count;
    }

    /// <summary>Wakes a <see cref="Read"/> that waits for chunks which a failed stage will not give back.</summary>
    public void Abort() => _pool.Abort();

    /// <summary>Closes the file being read and gives back a chunk of which no line was handed out.</summary>
    public void Dispose()
    {
        _file?.Dispose();
        _file = null;
        LeaveChunk();
    }

    /// <summary>Takes the next finished line out of what has been read.</summary>
    private bool TrySlice(ref Line line)
    {
        if (_searched == _end)
        {
            return false;
        }

        int found = _chunk!.Buffer.AsSpan(_searched, _end - _searched).IndexOf(LineFeed);
        if (found < 0)
        {
            _searched = _end;
            return false;
        }

        int end = _searched + found;
        Slice(ref line, end - _start, terminator: 1);
        _start = _searched = end + 1;
        return true;
    }

    private void Slice(ref Line line, int length, byte terminator)
    {
        line.Chunk = _chunk!;
        line.Intended = 0;
        line.Offset = _start;
        line.Length = length;
        line.FileIndex = _fileIndex;
        line.Terminator = terminator;
        line.Kind = LineKind.Blank;
        line.Indent = 0;
        line.Lead = 0;
        _chunkHasLines = true;
    }

    /// <summary>Reads on. At the end of a file its unfinished last line, if any, is handed out.</summary>
    /// <returns>False at the end of the input.</returns>
    private bool Fill(ref Line last, ref int count)
    {
        _pool.ThrowIfStopped();
        if (_file is null && !OpenNext())
        {
            LeaveChunk();
            return false;
        }

        MakeRoom();
        int read = ReadFile(_chunk!.Buffer.AsSpan(_end));
        _end += read;
        _fileBytes[_fileIndex] += read;
        if (read == 0)
        {
            _file!.Dispose();
            _file = null;
            if (_start < _end)
            {
                Slice(ref last, _end - _start, terminator: 0);
                _start = _searched = _end;
                count = 1;
            }
        }

        return true;
    }

    /// <summary>Sees to it that there is a chunk with room, carrying an unfinished line along.</summary>
    private void MakeRoom()
    {
        if (_chunk is not null && _end < _chunk.Buffer.Length)
        {
            return;
        }

        int unfinished = _end - _start;
        // Doubling keeps the copying of a line of any length linear.
        Chunk next = _pool.Rent((int)Math.Min(2L * unfinished, Array.MaxLength));
        if (next.Buffer.Length <= unfinished)
        {
            next.Release();
            throw new InputException(
                $"'{_files[_fileIndex]}' has a line of more than {unfinished:N0} bytes, the most an array can hold.");
        }

        _chunk?.Buffer.AsSpan(_start, unfinished).CopyTo(next.Buffer);
        LeaveChunk();
        _chunk = next;
        _start = 0;
        _searched = _end = unfinished;
    }

    /// <summary>The last stage releases a chunk with lines under way. A chunk without lines is still ours.</summary>
    private void LeaveChunk()
    {
        if (_chunk is not null && !_chunkHasLines)
        {
            _chunk.Release();
        }

        _chunk = null;
        _chunkHasLines = false;
        _start = _searched = _end = 0;
    }

    private bool OpenNext()
    {
        if (_fileIndex + 1 >= _files.Count)
        {
            return false;
        }

        string path = _files[++_fileIndex];
        try
        {
            _file = File.OpenHandle(path, options: FileOptions.SequentialScan, share: FileShare.ReadWrite | FileShare.Delete);
            return true;
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            throw InputException.Reading(path, error);
        }
    }

    private int ReadFile(Span<byte> room)
    {
        try
        {
            return RandomAccess.Read(_file!, room, _fileBytes[_fileIndex]);
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            throw InputException.Reading(_files[_fileIndex], error);
        }
    }
}
