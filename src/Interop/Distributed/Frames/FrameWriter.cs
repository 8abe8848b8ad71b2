using System.Buffers;
using System.Buffers.Binary;

namespace Raceway.Interop.Distributed;

/// <summary>A frame that is being filled. Its buffer is kept and used again.</summary>
internal sealed class FrameWriter : IBufferWriter<byte>
{
    private readonly int _maxLength;
    private readonly LinkKeys? _keys;
    private readonly int _trailer;
    private byte[] _buffer;
    private int _length = FrameHeader.Size;
    private int _itemStart = FrameHeader.Size;

    public FrameWriter(int expectedLength, int maxLength, LinkKeys? keys = null)
    {
        _maxLength = maxLength;
        _keys = keys;
        _trailer = keys is null ? 0 : LinkKeys.TrailerSize;
        _buffer = new byte[Math.Min(expectedLength, maxLength)];
    }

    /// <summary>Items in it.</summary>
    public int Count { get; private set; }

    /// <summary>Bytes in it, the header included.</summary>
    public int Length => _length;

    /// <summary>Bytes that its buffer takes up.</summary>
    public int Held => _buffer.Length;

    /// <summary>Adds an item; where its codec throws, the frame is as it was.</summary>
    /// <exception cref="InvalidOperationException">The item does not fit half a frame, or has not the codec's length.</exception>
    public void Add<T>(IItemCodec<T> codec, ref readonly T item, int fixedLength)
    {
        int before = _itemStart = _length;
        try
        {
            int start = before + (fixedLength == 0 ? sizeof(int) : 0);
            Grow(start - before);
            _length = start;
            codec.Write(in item, this);
            int written = _length - start;
            // It may have been given more than it asked for.
            if (_length - before > _maxLength / 2) throw LinkErrors.ItemTooLong(_length - before, _maxLength);
            if (fixedLength == 0) BinaryPrimitives.WriteInt32LittleEndian(_buffer.AsSpan(before), written);
            else if (written != fixedLength) throw LinkErrors.FixedLength(fixedLength, written);
            Count++;
        }
        catch
        {
            _length = before;
            throw;
        }
    }

    /// <summary>Writes the header, and with keys the signature; the frame is finished.</summary>
    public ReadOnlyMemory<byte> Seal(in FrameHeader header)
    {
        int length = _length + _trailer;
        if (length > _buffer.Length) Array.Resize(ref _buffer, length);
        header.Seal(_buffer.AsSpan(0, length), _keys);
        return _buffer.AsMemory(0, length);
    }

    /// <summary>Begins another frame.</summary>
    public void Clear()
    {
        _length = FrameHeader.Size;
        Count = 0;
    }

    public void Advance(int count)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(count, _buffer.Length - _length);
        _length += count;
    }

    public Memory<byte> GetMemory(int sizeHint = 0)
    {
        Grow(Math.Max(sizeHint, 1));
        return _buffer.AsMemory(_length);
    }

    public Span<byte> GetSpan(int sizeHint = 0)
    {
        Grow(Math.Max(sizeHint, 1));
        return _buffer.AsSpan(_length);
    }

    private void Grow(int by)
    {
        // Half of it, not what the frame has room for: that would have an item refused or not as it happens to come.
        long item = (long)_length + by - _itemStart;
        if (item > _maxLength / 2 || by > _maxLength - _trailer - _length) throw LinkErrors.ItemTooLong(item, _maxLength);
        if (by <= _buffer.Length - _length) return;
        Array.Resize(ref _buffer, (int)Math.Min(_maxLength, Math.Max(_buffer.Length * 2L, (long)_length + by)));
    }
}
