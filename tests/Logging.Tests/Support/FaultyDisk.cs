using System.Collections.Concurrent;
using System.Text;
using Microsoft.Win32.SafeHandles;
using Raceway.Interop.Logging.Files;

namespace Raceway.Logging.Tests.Support;

/// <summary>The system's disk, which a test makes full, slow or unusable.</summary>
internal sealed class FaultyDisk : LogDisk
{
    private readonly ManualResetEventSlim _gate = new(initialState: true);
    private readonly ConcurrentDictionary<SafeFileHandle, string> _paths = new();
    private int _syncs;
    private int _held;

    /// <summary>Whether writes fail, each after half of its bytes.</summary>
    public bool IsFull { get; set; }

    /// <summary>How many writes fail from now on, with nothing written.</summary>
    public int FailingWrites { get; set; }

    /// <summary>Only writes with this text are among the failing ones.</summary>
    public string FailingText { get; set; } = "";

    /// <summary>How many syncs fail from now on.</summary>
    public int FailingSyncs { get; set; }

    /// <summary>The file that was opened last.</summary>
    public SafeFileHandle? Opened { get; private set; }

    /// <summary>The files that were synced, by name.</summary>
    public ConcurrentQueue<string> SyncedPaths { get; } = new();

    /// <summary>Syncs so far.</summary>
    public int Syncs => Volatile.Read(ref _syncs);

    /// <summary>Whether a write is held back.</summary>
    public bool HoldsOne => Volatile.Read(ref _held) != 0;

    /// <summary>Holds writes back until <see cref="Release"/>.</summary>
    public void Hold() => _gate.Reset();

    public void Release() => _gate.Set();

    public override SafeFileHandle Open(string path)
    {
        Opened = base.Open(path);
        _paths[Opened] = path;
        return Opened;
    }

    public override void Write(SafeFileHandle file, ReadOnlySpan<byte> bytes, long offset)
    {
        Volatile.Write(ref _held, 1);
        _gate.Wait();
        Volatile.Write(ref _held, 0);
        if (FailingWrites > 0 && Encoding.UTF8.GetString(bytes).Contains(FailingText, StringComparison.Ordinal))
        {
            FailingWrites--;
            throw new IOException("Input/output error");
        }

        if (IsFull)
        {
            base.Write(file, bytes[..(bytes.Length / 2)], offset);
            throw new IOException("No space left on device");
        }

        base.Write(file, bytes, offset);
    }

    public override void Sync(SafeFileHandle file)
    {
        Interlocked.Increment(ref _syncs);
        if (FailingSyncs > 0)
        {
            FailingSyncs--;
            throw new IOException("Input/output error");
        }

        base.Sync(file);
        SyncedPaths.Enqueue(Path.GetFileName(_paths[file]));
    }
}
