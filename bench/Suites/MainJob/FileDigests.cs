using System.Security.Cryptography;

namespace Raceway.Suites.MainJob;

/// <summary>SHA-512 of every file of a run, from the lines as they pass in order.</summary>
public sealed class FileDigests : IDisposable
{
    private readonly string?[] _hex;
    private readonly IncrementalHash _hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA512);
    private int _file = -1;
    private byte[]? _buffer;
    private int _start;
    private int _end;

    /// <summary>Creates the digests of <paramref name="files"/> files.</summary>
    public FileDigests(int files) => _hex = new string?[files];

    /// <summary>The digest of a file in lower-case hexadecimal digits, once <see cref="Complete"/> was called.</summary>
    public string this[int file] => _hex[file] ?? throw new InvalidOperationException("The digests are not complete.");

    /// <summary>Notes the bytes of a line. Lines that follow one another in a chunk are hashed in one go later.</summary>
    internal void Add(ref Line line)
    {
        if (line.FileIndex != _file)
        {
            CloseFile();
            _file = line.FileIndex;
        }

        if (!ReferenceEquals(_buffer, line.Chunk.Buffer) || _end != line.Offset)
        {
            Flush();
            _buffer = line.Chunk.Buffer;
            _start = line.Offset;
        }

        _end = line.Offset + line.Length + line.Terminator;
    }

    /// <summary>Hashes what was noted; call it before the chunk goes back.</summary>
    internal void Flush()
    {
        if (_buffer is not null)
        {
            _hash.AppendData(_buffer, _start, _end - _start);
            _buffer = null;
        }
    }

    /// <summary>Ends the last file; files without a line are empty ones.</summary>
    internal void Complete()
    {
        CloseFile();
        string empty = Convert.ToHexStringLower(SHA512.HashData([]));
        for (int file = 0; file < _hex.Length; file++)
        {
            _hex[file] ??= empty;
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _hash.Dispose();

    private void CloseFile()
    {
        Flush();
        if (_file >= 0)
        {
            _hex[_file] = Convert.ToHexStringLower(_hash.GetHashAndReset());
        }
    }
}
