using System.Buffers.Binary;
using System.Diagnostics;
using Microsoft.Win32.SafeHandles;
using Raceway.Measuring;
using Raceway.Suites.Batching.Disk;

namespace Raceway.Suites.JournalSuite;

/// <summary>What a file has where a group is going to be written.</summary>
internal enum Blocks
{
    /// <summary>Blocks that were written before, by zeros.</summary>
    Written,

    /// <summary>Blocks that are reserved and were never written: the file system has to note for each that it now is.</summary>
    Reserved,

    /// <summary>Nothing: the file grows.</summary>
    None,
}

/// <summary>A loop of writes with a sync each, on one thread, into a file that has the given blocks: why a segment is filled with zeros.</summary>
/// <param name="name">The name in the rows.</param>
/// <param name="length">Bytes of a write.</param>
/// <param name="blocks">What is there before.</param>
internal sealed class BlockContestant(string name, int length, Blocks blocks) : ScenarioContestant(name), IDisposable
{
    private const long MostBytes = 64 << 20;

    private readonly byte[] _group = new byte[length];
    private string? _folder;
    private SafeFileHandle? _file;

    /// <inheritdoc/>
    public override long MaxOperations => MostBytes / length;

    /// <inheritdoc/>
    public void Dispose()
    {
        _file?.Dispose();
        if (_folder is not null) Directory.Delete(_folder, recursive: true);
    }

    /// <inheritdoc/>
    protected override void Prepare(long operations)
    {
        _folder ??= Directory.CreateTempSubdirectory("raceway-journal-").FullName;
        _file?.Dispose();
        long all = operations * length;
        _file = File.OpenHandle(
            Path.Combine(_folder, "blocks"), FileMode.Create, FileAccess.ReadWrite, FileShare.None, preallocationSize: blocks == Blocks.Reserved ? all : 0);
        if (blocks == Blocks.Reserved) RandomAccess.SetLength(_file, all);
        Array.Clear(_group);
        for (long at = 0; blocks == Blocks.Written && at < all; at += length) RandomAccess.Write(_file, _group, at);
        RandomAccess.FlushToDisk(_file);
        Array.Fill(_group, (byte)1);
        Latency = new LatencyHistogram();
    }

    /// <inheritdoc/>
    protected override void Work(long operations, CancellationToken cancellation)
    {
        for (long i = 0; i < operations; i++)
        {
            cancellation.ThrowIfCancellationRequested();
            BinaryPrimitives.WriteInt64LittleEndian(_group, i);
            long since = Stopwatch.GetTimestamp();
            RandomAccess.Write(_file!, _group, i * length);
            DataSync.Flush(_file!);
            Latency!.Record((long)Stopwatch.GetElapsedTime(since).TotalNanoseconds);
        }
    }

    /// <inheritdoc/>
    protected override bool Finish(long operations, out IReadOnlyList<Count> further)
    {
        further = [];
        byte[] read = new byte[length];
        for (long i = 0; i < operations; i++)
        {
            BinaryPrimitives.WriteInt64LittleEndian(_group, i);
            if (RandomAccess.Read(_file!, read, i * length) != length || !read.AsSpan().SequenceEqual(_group)) return false;
        }

        return RandomAccess.GetLength(_file!) == operations * length;
    }
}
