using System.Buffers.Binary;
using System.Numerics;
using Microsoft.Win32.SafeHandles;
using Raceway.Suites.Batching.Disk;

namespace Raceway.Suites.JournalSuite.Logs;

/// <summary>A file of records with length and CRC-32C: a group is one write and one sync.</summary>
/// <remarks>
/// Each round begins at the start of the file again and overwrites it, so its blocks are there and a sync has no metadata to write:
/// the most that the disk gives. Where a round is longer than any before, the file grows by zeros.
/// </remarks>
internal sealed class FileStore(string folder, int length) : IGroupStore
{
    private const int Growth = 8 << 20;

    private readonly SafeFileHandle _file =
        File.OpenHandle(Path.Combine(folder, "items.log"), FileMode.CreateNew, FileAccess.ReadWrite, FileShare.None);

    private readonly byte[] _read = new byte[Math.Max(256, (1 << 20) / (GroupCommit.Room + length)) * (GroupCommit.Room + length)];
    private long _end;
    private long _made;

    public void Begin() => _end = 0;

    public void Append(Span<byte> items, long first, int count)
    {
        int stride = GroupCommit.Room + length;
        for (int at = 0; at < items.Length; at += stride)
        {
            BinaryPrimitives.WriteInt32LittleEndian(items[at..], length);
            BinaryPrimitives.WriteUInt32LittleEndian(items[(at + sizeof(int))..], Checksum(items.Slice(at + GroupCommit.Room, length)));
        }

        if (_end + items.Length > _made) Grow(_end + items.Length);
        RandomAccess.Write(_file, items, _end);
        DataSync.Flush(_file);
        _end += items.Length;
    }

    public void ReadBack(long count, StoredReader item)
    {
        int stride = GroupCommit.Room + length;
        long end = Math.Min(count * stride, _end);
        for (long at = 0; at < end;)
        {
            int wanted = (int)Math.Min(_read.Length, end - at);
            int read = 0;
            while (read < wanted && RandomAccess.Read(_file, _read.AsSpan(read, wanted - read), at + read) is > 0 and int more) read += more;
            if (read < wanted) return;
            for (int i = 0; i < wanted; i += stride)
            {
                ReadOnlySpan<byte> record = _read.AsSpan(i, stride);
                if (BinaryPrimitives.ReadInt32LittleEndian(record) != length) return;
                if (BinaryPrimitives.ReadUInt32LittleEndian(record[sizeof(int)..]) != Checksum(record[GroupCommit.Room..])) return;
                item(record[GroupCommit.Room..]);
            }

            at += wanted;
        }
    }

    public void Dispose() => _file.Dispose();

    private void Grow(long least)
    {
        byte[] zeros = new byte[Growth];
        for (; _made < least; _made += Growth) RandomAccess.Write(_file, zeros, _made);
        DataSync.Flush(_file);
    }

    private static uint Checksum(ReadOnlySpan<byte> bytes)
    {
        uint sum = uint.MaxValue;
        for (; bytes.Length >= sizeof(ulong); bytes = bytes[sizeof(ulong)..]) sum = BitOperations.Crc32C(sum, BinaryPrimitives.ReadUInt64LittleEndian(bytes));
        foreach (byte one in bytes) sum = BitOperations.Crc32C(sum, one);
        return ~sum;
    }
}
