using Microsoft.Win32.SafeHandles;
using Raceway.Suites.Batching;
using Raceway.Suites.Batching.Disk;

namespace Raceway.Suites.JournalSuite.Logs;

/// <summary>A bare sync between two bare wake-ups: a thread is woken, writes an item over blocks that are there, syncs, and wakes the first.</summary>
internal sealed class BareSync : DurableLog
{
    private const int FileLength = 1 << 20;

    private readonly object _gate = new();
    private readonly SafeFileHandle _file;
    private readonly Thread _thread;
    private readonly byte[] _item;
    private long _groups;
    private long _index = -1;
    private long _next;
    private bool _ends;

    public BareSync(string folder, int length)
    {
        _item = new byte[length];
        _file = File.OpenHandle(Path.Combine(folder, "bare"), FileMode.CreateNew, FileAccess.ReadWrite, FileShare.None);
        RandomAccess.Write(_file, new byte[FileLength], 0);
        DataSync.Flush(_file);
        _thread = new Thread(Store) { IsBackground = true, Name = "bare sync" };
        _thread.Start();
    }

    public override long Groups => Volatile.Read(ref _groups);

    private int Places => FileLength / _item.Length;

    public override void Give(in Job job)
    {
        lock (_gate)
        {
            _index = job.Index;
            Monitor.Pulse(_gate);
        }
    }

    public override void ReadBack(long count, StoredReader item)
    {
        byte[] read = new byte[_item.Length];
        for (long index = 0; index < Math.Min(Math.Min(count, _next), Places); index++)
        {
            if (RandomAccess.Read(_file, read, index * read.Length) == read.Length) item(read);
        }
    }

    public override void Dispose()
    {
        lock (_gate)
        {
            _ends = true;
            Monitor.Pulse(_gate);
        }

        _thread.Join();
        _file.Dispose();
    }

    private void Store()
    {
        while (Next() is >= 0 and long index)
        {
            Logged.Fill(_item, index, Acknowledged.Round.Number);
            RandomAccess.Write(_file, _item, index % Places * _item.Length);
            DataSync.Flush(_file);
            Volatile.Write(ref _groups, _groups + 1);
            Acknowledged.Reach(_next = index + 1);
        }
    }

    private long Next()
    {
        lock (_gate)
        {
            while (_index < 0 && !_ends) Monitor.Wait(_gate);
            long index = _index;
            _index = -1;
            return index;
        }
    }
}
