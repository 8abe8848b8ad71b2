using System.Globalization;

namespace Raceway.Interop.Logging.Writing;

/// <summary>The time of an entry, and its text. What changes once a second is made once a second.</summary>
internal sealed class TimestampText
{
    /// <summary>The longest text: <c>2026-11-24 03:44:08.123 +01:00</c>.</summary>
    public const int MostLength = SecondLength + 4 + 7;

    private const int SecondLength = 19;

    private readonly byte[] _second = new byte[SecondLength];
    private readonly byte[] _zone = new byte[7];
    private DateTimeOffset? _came; // in UTC
    private DateTimeOffset? _now; // as it is shown
    private long _writtenSecond = -1;
    private long _offsetSecond = -1;
    private TimeProvider? _offsetOf;
    private TimeSpan _offset;
    private TimeSpan _writtenOffset;
    private int _zoneLength;

    /// <summary>Another entry.</summary>
    /// <param name="came">When it came, in UTC. Null: the next look at the time says so.</param>
    public void Set(DateTimeOffset? came) => (_came, _now) = (came, null);

    /// <summary>The time of the entry: the same for every caller.</summary>
    public DateTimeOffset Now(LogFileOptions options)
    {
        if (_now is { } known) return known;
        DateTimeOffset now = _came ?? options.Time.GetUtcNow();
        if (options.LocalTime)
        {
            long second = now.Ticks / TimeSpan.TicksPerSecond;
            if (second != _offsetSecond || options.Time != _offsetOf)
            {
                _offset = options.Time.LocalTimeZone.GetUtcOffset(now);
                (_offsetSecond, _offsetOf) = (second, options.Time);
            }

            now = now.ToOffset(_offset);
        }

        _now = now;
        return now;
    }

    /// <summary>Writes it; returns how many bytes.</summary>
    public int Write(DateTimeOffset time, Span<byte> to)
    {
        long second = time.Ticks / TimeSpan.TicksPerSecond;
        if (second != _writtenSecond || time.Offset != _writtenOffset) WriteSecond(time, second);
        _second.CopyTo(to);
        int milliseconds = time.Millisecond;
        to[SecondLength] = (byte)'.';
        to[SecondLength + 1] = (byte)('0' + milliseconds / 100);
        to[SecondLength + 2] = (byte)('0' + milliseconds / 10 % 10);
        to[SecondLength + 3] = (byte)('0' + milliseconds % 10);
        _zone.AsSpan(0, _zoneLength).CopyTo(to[(SecondLength + 4)..]);
        return SecondLength + 4 + _zoneLength;
    }

    private void WriteSecond(DateTimeOffset time, long second)
    {
        _writtenSecond = time.TryFormat(_second, out _, "yyyy-MM-dd HH:mm:ss", CultureInfo.InvariantCulture) ? second : -1;
        _writtenOffset = time.Offset;
        if (time.Offset == TimeSpan.Zero)
        {
            _zone[0] = (byte)'Z';
            _zoneLength = 1;
            return;
        }

        if (!time.TryFormat(_zone, out _zoneLength, " zzz", CultureInfo.InvariantCulture)) _zoneLength = 0;
    }
}
