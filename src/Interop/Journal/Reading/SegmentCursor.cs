using Raceway.Interop.Journal.Files;
using Raceway.Interop.Journal.Format;

namespace Raceway.Interop.Journal.Reading;

/// <summary>What a cursor has come to.</summary>
internal enum CursorState
{
    /// <summary>A group that is right, with all of its records.</summary>
    Group,

    /// <summary>No group here that continues the chain: the end, a torn tail, or damage. <see cref="Tail"/> tells which.</summary>
    Stop,
}

/// <summary>Walks the groups of a segment. It accepts a group only if all groups before it were right.</summary>
/// <remarks>Memory: one window of the file, at most as large as the largest group that a header with a right checksum names.</remarks>
internal sealed class SegmentCursor : IDisposable
{
    private const int LeastWindow = 256 << 10;

    private readonly IJournalFile _file;
    private readonly SegmentHeader _segment;
    private byte[] _window;
    private long _windowAt;
    private int _windowLength;

    /// <param name="file">The segment.</param>
    /// <param name="segment">Its header.</param>
    /// <param name="window">The <see cref="Window"/> of a cursor that is not used any more; null: it makes its own.</param>
    public SegmentCursor(IJournalFile file, in SegmentHeader segment, byte[]? window = null)
    {
        _file = file;
        _segment = segment;
        _window = window ?? [];
        Offset = End = Stopped = JournalFormat.SegmentHeaderLength;
        Next = segment.First;
        Chain = segment.Checksum;
        Epoch = segment.Epoch;
    }

    /// <summary>The memory that it reads into.</summary>
    public byte[] Window => _window;

    /// <summary>Where the next group is to begin.</summary>
    public long Offset { get; private set; }

    /// <summary>Behind the last byte of the last right group: between it and <see cref="Offset"/> are zeros.</summary>
    public long End { get; private set; }

    /// <summary>Of a stop: from where on something is wrong: the zeros before the next group, or that group.</summary>
    public long Stopped { get; private set; }

    /// <summary>The sequence of the next item.</summary>
    public long Next { get; private set; }

    /// <summary>The checksum that the next group has to hold.</summary>
    public uint Chain { get; private set; }

    public ulong Epoch { get; private set; }

    /// <summary>The highest offset that a group has said was durable.</summary>
    public long Durable { get; private set; }

    /// <summary>The group reached, and where.</summary>
    public GroupHeader Group { get; private set; }

    public long GroupOffset { get; private set; }

    /// <summary>Its records; until the next move.</summary>
    public ReadOnlySpan<byte> Records => _window.AsSpan((int)(GroupOffset - _windowAt) + JournalFormat.GroupHeaderLength, Group.Length);

    /// <summary>Of a stop: what is wrong with the group there, if it is not the end.</summary>
    public string Problem { get; private set; } = "";

    /// <summary>Of a stop: the first item that cannot be read.</summary>
    public long Wrong { get; private set; }

    public CursorState Move()
    {
        Wrong = Next;
        Stopped = End;
        Problem = "there is something between two groups";
        if (Bytes(End, (int)(Offset - End)).ContainsAnyExcept((byte)0)) return CursorState.Stop;
        Stopped = Offset;
        Problem = "no group follows";
        if (GroupHeader.Read(Bytes(Offset, JournalFormat.GroupHeaderLength), _segment, Offset) is not { } group) return CursorState.Stop;
        Problem = "a group does not follow the one before it";
        if (group.Chain != Chain || group.First != Next || group.Epoch < Epoch) return CursorState.Stop;
        ReadOnlySpan<byte> all = Bytes(Offset, group.Total);
        Problem = "a group is cut off";
        if (all.Length < group.Total) return CursorState.Stop;
        Problem = "the checksum of a record is wrong";
        if (!Format.Records.AreRight(group, all[JournalFormat.GroupHeaderLength..], out long wrong))
        {
            Wrong = wrong;
            return CursorState.Stop;
        }

        Group = group;
        GroupOffset = Offset;
        End = Offset + group.Total;
        Offset = Stopped = JournalFormat.Align(End, _segment.Alignment);
        Next = group.First + group.Count;
        Chain = group.Checksum;
        Epoch = group.Epoch;
        Durable = Math.Max(Durable, group.Durable);
        return CursorState.Group;
    }

    /// <summary>Moves in a segment that has no successor, and at a stop looks at what lies behind it.</summary>
    public CursorState MoveInLast(out Tail tail)
    {
        tail = default;
        if (Move() == CursorState.Group) return CursorState.Group;
        tail = Tail.Of(this, _segment);
        if (tail.Witness is null) return CursorState.Stop;
        // A writer at work may have finished the group since it was read here. A witness is written later, so now it would be right.
        _windowLength = 0;
        return Move();
    }

    /// <summary>Bytes of the file, fewer at its end; valid until the next call.</summary>
    public ReadOnlySpan<byte> Bytes(long from, int count)
    {
        if (from < _windowAt || from + count > _windowAt + _windowLength)
        {
            if (_window.Length < count || _window.Length == 0)
                _window = new byte[(int)Math.Min(Math.Max(count, LeastWindow), Math.Max(_segment.Length, count))];
            _windowAt = from;
            _windowLength = _file.ReadAll(_window, from);
        }

        int at = (int)(from - _windowAt);
        return _window.AsSpan(at, Math.Max(0, Math.Min(count, _windowLength - at)));
    }

    public void Dispose() => _file.Dispose();
}
