using System.Buffers;
using System.Runtime.CompilerServices;
using Raceway.Interop.Journal.Format;

namespace Raceway.Interop.Journal.Writing;

/// <summary>A group in the making: codecs write records behind each other, and one write takes all of it.</summary>
/// <remarks>Used again for every group; it grows to the largest one that there has been.</remarks>
internal sealed class GroupBuffer(int target, int mostItem) : IBufferWriter<byte>
{
    // Codecs may ask for more than they write.
    private const int LargestHint = 64 << 10;

    private byte[] _bytes = new byte[1024];
    private int _end;
    private int _record;
    private uint _content;
    private long _first;
    private ulong _epoch;

    /// <summary>Items in it.</summary>
    public int Count { get; private set; }

    /// <summary>Whether no further item should be added.</summary>
    public bool IsFull => _end - JournalFormat.GroupHeaderLength >= target;

    /// <summary>Bytes of the whole group.</summary>
    public int Total => _end;

    /// <summary>Begins a group with the item of that sequence.</summary>
    public void Begin(long first, ulong epoch)
    {
        (_first, _epoch, _content, Count) = (first, epoch, Crc32C.Start, 0);
        _end = _record = JournalFormat.GroupHeaderLength;
    }

    /// <summary>Adds an item as its codec writes it. If that throws, the group is as before.</summary>
    public void Add<T>(IJournalCodec<T> codec, ref readonly T item)
    {
        _record = _end;
        try
        {
            Ensure(JournalFormat.RecordHeaderLength);
            _end += JournalFormat.RecordHeaderLength;
            codec.Write(in item, this);
            int length = _end - _record - JournalFormat.RecordHeaderLength;
            if (length > mostItem) throw JournalErrors.ItemTooLong(length, mostItem);
        }
        catch
        {
            _end = _record;
            throw;
        }

        Close();
    }

    /// <summary>Adds an item without references as it lies in memory.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void AddRaw<T>(ref readonly T item)
    {
        int size = Unsafe.SizeOf<T>();
        if (size > mostItem) throw JournalErrors.ItemTooLong(size, mostItem);
        Ensure(JournalFormat.RecordHeaderLength + size);
        _record = _end;
        _end += JournalFormat.RecordHeaderLength + size;
        Unsafe.WriteUnaligned(ref _bytes[_record + JournalFormat.RecordHeaderLength], item);
        Close();
    }

    /// <summary>The bytes of the group, with the header that belongs to its place.</summary>
    public ReadOnlySpan<byte> Finish(in SegmentHeader segment, long offset, int durable, uint chain, out GroupHeader header)
    {
        header = new GroupHeader(
            GroupKind.Items, _end - JournalFormat.GroupHeaderLength, Count, _first, durable, chain, _epoch, Crc32C.End(_content))
            .WriteTo(_bytes, segment, offset);
        return _bytes.AsSpan(0, _end);
    }

    /// <inheritdoc/>
    public void Advance(int count)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(count, _bytes.Length - _end);
        _end += count;
    }

    /// <inheritdoc/>
    public Memory<byte> GetMemory(int sizeHint = 0)
    {
        Ensure(Math.Max(sizeHint, 1));
        return _bytes.AsMemory(_end);
    }

    /// <inheritdoc/>
    public Span<byte> GetSpan(int sizeHint = 0)
    {
        Ensure(Math.Max(sizeHint, 1));
        return _bytes.AsSpan(_end);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Close()
    {
        int body = _record + JournalFormat.RecordHeaderLength;
        int length = _end - body;
        uint checksum = Records.Checksum(_epoch, _first + Count, _bytes.AsSpan(body, length));
        Records.WriteHeader(_bytes.AsSpan(_record), length, checksum);
        _content = Records.AddTo(_content, length, checksum);
        Count++;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Ensure(int more)
    {
        if (more > _bytes.Length - _end) Grow(more);
    }

    private void Grow(int more)
    {
        // Refused before memory is taken for it: an item that is too long already, or a hint that no item needs.
        long written = (long)_end - _record - JournalFormat.RecordHeaderLength;
        if (written > mostItem || more > Math.Max(mostItem, LargestHint)) throw JournalErrors.ItemTooLong(Math.Max(written, more), mostItem);
        long needed = (long)_end + more;
        Array.Resize(ref _bytes, (int)Math.Max(needed, _bytes.Length * 2L));
    }
}
