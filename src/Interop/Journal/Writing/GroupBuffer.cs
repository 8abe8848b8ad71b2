using System.Buffers;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Raceway.Interop.Journal.Files;
using Raceway.Interop.Journal.Format;

namespace Raceway.Interop.Journal.Writing;

/// <summary>A group in the making: codecs write records behind each other, and one write takes all of it.</summary>
/// <remarks>Used again for every group; it grows to the largest one that there has been.</remarks>
internal sealed class GroupBuffer(int target, int mostItem) : IBufferWriter<byte>
{
    // Codecs may ask for more than they write.
    private const int LargestHint = 64 << 10;

    // Below it a copy costs less than a further piece.
    private const int LeastPiece = 2 << 10;

    // Bytes of the buffer, and what follows them from elsewhere.
    private readonly List<(int Before, ReadOnlyMemory<byte> Bytes)> _pieces = [];
    private readonly List<ReadOnlyMemory<byte>> _gathered = [];
    private byte[] _bytes = new byte[1024];
    private int _elsewhere;
    private int _copied;
    private int _end;
    private int _record;
    private uint _content;
    private long _first;
    private ulong _epoch;

    /// <summary>Items in it.</summary>
    public int Count { get; private set; }

    /// <summary>Whether no further item should be added.</summary>
    public bool IsFull => Total - JournalFormat.GroupHeaderLength >= target;

    /// <summary>Bytes of the whole group.</summary>
    public int Total => _end + _elsewhere;

    /// <summary>Begins a group with the item of that sequence.</summary>
    public void Begin(long first, ulong epoch)
    {
        (_first, _epoch, _content, Count, _elsewhere, _copied) = (first, epoch, Crc32C.Start, 0, 0, 0);
        // Nothing of the group before is held.
        _pieces.Clear();
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

    /// <summary>Adds an item that has its bytes in memory. Many bytes are written from where they are, few are copied.</summary>
    /// <param name="bytes">They stay until the group is written.</param>
    public void Add(ReadOnlyMemory<byte> bytes)
    {
        if (bytes.Length > mostItem) throw JournalErrors.ItemTooLong(bytes.Length, mostItem);
        bool isCopied = bytes.Length < LeastPiece;
        Ensure(JournalFormat.RecordHeaderLength + (isCopied ? bytes.Length : 0));
        _record = _end;
        _end += JournalFormat.RecordHeaderLength;
        if (isCopied)
        {
            bytes.Span.CopyTo(_bytes.AsSpan(_end));
            _end += bytes.Length;
        }
        else
        {
            // The piece before it ends here. Its memory is known when the buffer grows no more.
            _pieces.Add((_end - _copied, bytes));
            _copied = _end;
            _elsewhere += bytes.Length;
        }

        Close(bytes.Span);
    }

    /// <summary>Writes the group, with the header that belongs to its place.</summary>
    public GroupHeader WriteTo(IJournalFile file, in SegmentHeader segment, long offset, int durable, uint chain)
    {
        GroupHeader header = new GroupHeader(
            GroupKind.Items, Total - JournalFormat.GroupHeaderLength, Count, _first, durable, chain, _epoch, Crc32C.End(_content))
            .WriteTo(_bytes, segment, offset);
        if (_pieces.Count == 0)
        {
            file.WriteAll(_bytes.AsSpan(0, _end), offset);
            return header;
        }

        int at = 0;
        foreach ((int before, ReadOnlyMemory<byte> bytes) in _pieces)
        {
            _gathered.Add(_bytes.AsMemory(at, before));
            _gathered.Add(bytes);
            at += before;
        }

        if (at < _end) _gathered.Add(_bytes.AsMemory(at, _end - at));
        try
        {
            file.WriteAll(CollectionsMarshal.AsSpan(_gathered), offset);
        }
        finally
        {
            _gathered.Clear();
        }

        return header;
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
        Close(_bytes.AsSpan(body, _end - body));
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Close(ReadOnlySpan<byte> bytes)
    {
        uint checksum = Records.Checksum(_epoch, _first + Count, bytes);
        Records.WriteHeader(_bytes.AsSpan(_record), bytes.Length, checksum);
        _content = Records.AddTo(_content, bytes.Length, checksum);
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
