using System.Buffers;
using System.Globalization;
using System.Text;
using System.Text.Json;
using Raceway.Interop.Logging.Writing;

namespace Raceway.Interop.Logging;

/// <summary>Where an entry is formatted: takes text or UTF-8 bytes, up to the longest entry of its file.</summary>
/// <remarks>
/// <para><b>Threads</b>: one at a time, inside the call that it is given to.</para>
/// <para><b>Cost</b>: nothing is allocated; it is the thread's own, and its buffer grows to the longest entry that comes.</para>
/// <para>What exceeds <see cref="LogFileOptions.MaxEntryBytes"/> is cut off, and the entry ends in <c>[cut]</c> and a line break.</para>
/// </remarks>
public sealed class EntryWriter : TextWriter, IBufferWriter<byte>
{
    private const int FirstLength = 1024;

    // A thread keeps at most this many bytes for its next entry.
    private const int KeptLength = 64 << 10;

    /// <summary>The longest text of a time.</summary>
    internal const int MostTimestamp = TimestampText.MostLength;

    // Three bytes of UTF-8 are the most that a UTF-16 unit takes.
    private const int MostPerChar = 3;

    [ThreadStatic]
    private static EntryWriter? t_free;

    private readonly TimestampText _times = new();
    private byte[] _buffer = new byte[FirstLength];
    private Utf8JsonWriter? _json;
    private LogFileOptions? _options;
    private int _length;
    private int _most;
    private char _high;
    private bool _isCut;
    private bool _wasCut;

    private EntryWriter()
        : base(CultureInfo.InvariantCulture)
    {
    }

    /// <summary>UTF-8, without a mark.</summary>
    public override Encoding Encoding => Encoding.UTF8;

    /// <summary>When the entry came, by the clock of its file, in local time if its options say so.</summary>
    public DateTimeOffset Timestamp => _times.Now(_options!);

    /// <summary>Bytes written so far.</summary>
    public int Length => _length;

    /// <summary>Whether something does not fit.</summary>
    internal bool IsCut => _isCut || _length > _most;

    /// <summary>Whether something is left out.</summary>
    internal bool WasCut => _wasCut || IsCut;

    /// <summary>The most bytes that fit.</summary>
    internal int Most => _most;

    /// <summary>The writer that <see cref="Json"/> has given.</summary>
    internal Utf8JsonWriter? OpenJson => _json;

    /// <summary>A writer of JSON into this one. The caller flushes it.</summary>
    internal Utf8JsonWriter Json(JsonWriterOptions options)
    {
        if (_json is null) return _json = new Utf8JsonWriter(this, options);
        _json.Reset(this);
        return _json;
    }

    /// <summary>Writes <see cref="Timestamp"/> as <c>2026-11-24 03:44:08.123Z</c>, or with the offset of local time.</summary>
    public void WriteTimestamp() => _length += FormatTimestamp(GetSpan(MostTimestamp));

    /// <summary>The same to another place; returns how many bytes.</summary>
    internal int FormatTimestamp(Span<byte> to) => _times.Write(Timestamp, to);

    /// <summary>The entry is whole, but not all of what was logged.</summary>
    internal void MarkCut() => _wasCut = true;

    /// <summary>Writes bytes that are UTF-8 already.</summary>
    public void WriteUtf8(ReadOnlySpan<byte> bytes)
    {
        int fits = Math.Min(bytes.Length, _most - _length);
        if (fits < bytes.Length) _isCut = true;
        if (fits <= 0) return;
        bytes[..fits].CopyTo(GetSpan(fits));
        _length += fits;
    }

    /// <inheritdoc/>
    public override void Write(char value) => Write(new ReadOnlySpan<char>(in value));

    /// <inheritdoc/>
    public override void Write(string? value) => Write(value.AsSpan());

    /// <inheritdoc/>
    public override void Write(char[] buffer, int index, int count) => Write(buffer.AsSpan(index, count));

    /// <inheritdoc/>
    public override void Write(ReadOnlySpan<char> buffer)
    {
        if (_high != '\0') buffer = JoinSurrogates(buffer);
        if (buffer.IsEmpty) return;
        if (char.IsHighSurrogate(buffer[^1]))
        {
            _high = buffer[^1];
            buffer = buffer[..^1];
        }

        // A char takes a byte or more: those beyond the room cannot fit.
        int room = _most - _length;
        if (buffer.Length > room)
        {
            _isCut = true;
            buffer = buffer[..Math.Max(0, room)];
        }

        if (!buffer.IsEmpty) _length += Encoding.UTF8.GetBytes(buffer, GetSpan(buffer.Length * MostPerChar));
    }

    /// <inheritdoc/>
    public override void WriteLine() => Write(CoreNewLine.AsSpan());

    /// <inheritdoc/>
    public override void WriteLine(string? value)
    {
        Write(value.AsSpan());
        WriteLine();
    }

    /// <inheritdoc/>
    public void Advance(int count)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(count, _buffer.Length - _length);
        _length += count;
    }

    /// <inheritdoc/>
    public Memory<byte> GetMemory(int sizeHint = 0)
    {
        Grow(sizeHint);
        return _buffer.AsMemory(_length);
    }

    /// <inheritdoc/>
    public Span<byte> GetSpan(int sizeHint = 0)
    {
        Grow(sizeHint);
        return _buffer.AsSpan(_length);
    }

    /// <summary>The thread's own, or a new one if that is in use: an entry was logged while another is being formatted.</summary>
    /// <param name="options">Those of its file.</param>
    /// <param name="came">When the entry came, in UTC. Null: now, once somewhere asks.</param>
    internal static EntryWriter Rent(LogFileOptions options, DateTimeOffset? came = null)
    {
        EntryWriter writer = t_free ?? new EntryWriter();
        t_free = null;
        writer._options = options;
        writer._most = options.MaxEntryBytes;
        writer._times.Set(came);
        writer._wasCut = false;
        writer.Restart();
        return writer;
    }

    internal static void Return(EntryWriter writer)
    {
        if (writer._buffer.Length > KeptLength) writer._buffer = new byte[FirstLength];
        t_free = writer;
    }

    /// <summary>Begins the entry anew, with the same time.</summary>
    internal void Restart() => (_length, _high, _isCut) = (0, '\0', false);

    /// <summary>The whole entry, or what of it fits behind which it says that it was cut.</summary>
    internal ReadOnlySpan<byte> Finish()
    {
        if (_high != '\0') Write(ReadOnlySpan<char>.Empty);
        if (!IsCut) return _buffer.AsSpan(0, _length);
        ReadOnlySpan<byte> mark = " [cut]\n"u8;
        int end = Math.Min(_length, _most) - mark.Length;
        // Not within a character: the bytes that go on with one begin with the bits 10.
        while (end > 0 && (_buffer[end] & 0xC0) == 0x80) end--;
        _length = end;
        mark.CopyTo(GetSpan(mark.Length));
        _wasCut = true;
        return _buffer.AsSpan(0, _length += mark.Length);
    }

    // The first half of a pair came with the call before.
    private ReadOnlySpan<char> JoinSurrogates(ReadOnlySpan<char> buffer)
    {
        bool joins = !buffer.IsEmpty && char.IsLowSurrogate(buffer[0]);
        Span<char> pair = [_high, joins ? buffer[0] : '\0'];
        _high = '\0';
        // A half that ends the text becomes the replacement character.
        Span<byte> to = GetSpan(2 * MostPerChar);
        _length += Encoding.UTF8.GetBytes(joins ? pair : pair[..1], to);
        return joins ? buffer[1..] : buffer;
    }

    private void Grow(int sizeHint)
    {
        int needed = _length + Math.Max(sizeHint, 1);
        if (needed > _buffer.Length) Array.Resize(ref _buffer, Math.Max(needed, 2 * _buffer.Length));
    }
}
