using System.Buffers.Binary;
using Microsoft.Win32.SafeHandles;

namespace Raceway.Suites.Batching.Disk;

/// <summary>Appends the records of a call to a file by one write, and syncs the file once: when the call returns, they are on the disk.</summary>
/// <remarks>
/// The file lies in the folder for temporary files (<c>TMPDIR</c>). Where that is in memory, a sync costs nothing, and the figures are
/// those of a write.
/// </remarks>
internal sealed class DiskWork : IBatchWork
{
    private readonly Corpus _corpus;
    private readonly int _size;
    private readonly string _path;
    private readonly SafeFileHandle _file;
    private byte[] _buffer = [];
    private long _end;

    public DiskWork(string name, Corpus corpus)
    {
        _corpus = corpus;
        _size = corpus[0].Length;
        _path = Path.Combine(Path.GetTempPath(), $"raceway-{Environment.ProcessId}-{Guid.NewGuid():N}-{name.Replace('/', '-')}.records");
        _file = File.OpenHandle(_path, FileMode.CreateNew, FileAccess.ReadWrite, FileShare.None, FileOptions.DeleteOnClose);
    }

    public void Begin()
    {
        RandomAccess.SetLength(_file, 0);
        RandomAccess.FlushToDisk(_file);
        _end = 0;
    }

    public void Do(ReadOnlySpan<Job> jobs)
    {
        int length = jobs.Length * _size;
        if (_buffer.Length < length) _buffer = new byte[length];
        for (int i = 0; i < jobs.Length; i++)
        {
            Span<byte> record = _buffer.AsSpan(i * _size, _size);
            _corpus[jobs[i].Index].CopyTo(record);
            BinaryPrimitives.WriteInt64LittleEndian(record, jobs[i].Index);
        }

        RandomAccess.Write(_file, _buffer.AsSpan(0, length), _end);
        _end += length;
        DataSync.Flush(_file);
    }

    public void Complete()
    {
    }

    public bool Verify(long jobs)
    {
        if (_end != jobs * _size || RandomAccess.GetLength(_file) != _end) return false;
        byte[] read = new byte[256 * _size];
        byte[] expected = new byte[_size];
        for (long index = 0; index < jobs;)
        {
            int count = (int)Math.Min(256, jobs - index);
            if (ReadAll(read.AsSpan(0, count * _size), index * _size) != count * _size) return false;
            for (int i = 0; i < count; i++, index++)
            {
                _corpus[index].CopyTo(expected);
                BinaryPrimitives.WriteInt64LittleEndian(expected, index);
                if (!read.AsSpan(i * _size, _size).SequenceEqual(expected)) return false;
            }
        }

        return true;
    }

    public void Dispose() => _file.Dispose();

    private int ReadAll(Span<byte> into, long from)
    {
        int all = 0;
        while (all < into.Length && RandomAccess.Read(_file, into[all..], from + all) is > 0 and int read) all += read;
        return all;
    }
}
