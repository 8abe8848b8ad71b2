using Raceway.Interop.Journal.Files;
using Raceway.Interop.Journal.Format;

namespace Raceway.Interop.Journal.Reading;

/// <summary>The items of a journal from a sequence on, a group at a time, over all segments.</summary>
/// <remarks>Every group is checked. At what is not right it throws; it never goes on behind it.</remarks>
internal sealed class StoredItems : IDisposable
{
    private readonly JournalFiles _files;
    private readonly List<SegmentFile> _segments;
    private readonly long _until;
    private SegmentCursor? _cursor;
    private byte[]? _window;
    private int _segment;
    private int _at;
    private long _sequence;

    /// <summary>Begins at <paramref name="from"/>, which is stored or the end.</summary>
    /// <param name="files">Where.</param>
    /// <param name="segments">All of them.</param>
    /// <param name="from">The first sequence.</param>
    /// <param name="until">The sequence behind the last; the end if it is beyond it.</param>
    public StoredItems(JournalFiles files, List<SegmentFile> segments, long from, long until)
    {
        _files = files;
        _segments = segments;
        _until = until;
        Next = from;
        _segment = Math.Max(0, segments.FindLastIndex(one => one.Header.First <= from));
    }

    /// <summary>The sequence of the item that <see cref="TryRead"/> gives next.</summary>
    public long Next { get; private set; }

    /// <summary>The schema of the item that was read last.</summary>
    public JournalSchema Schema { get; private set; }

    /// <summary>The bytes of the next item, until the next call.</summary>
    /// <exception cref="JournalDamagedException">It was stored and is not right.</exception>
    public bool TryRead(out ReadOnlySpan<byte> bytes)
    {
        while (Next < _until)
        {
            if (_cursor is { } cursor && _at < cursor.Records.Length)
            {
                bytes = Records.Next(cursor.Records, ref _at);
                if (_sequence++ < Next) continue;
                Next++;
                return true;
            }

            if (!MoveToItems()) break;
        }

        bytes = default;
        return false;
    }

    public void Dispose() => _cursor?.Dispose();

    // To the next group with items. Empty marks have no records, so they are passed over by themselves.
    private bool MoveToItems()
    {
        while (true)
        {
            if (_cursor is null)
            {
                if (_segment == _segments.Count) return false;
                SegmentFile opened = _segments[_segment];
                Schema = opened.Header.Schema;
                _cursor = new SegmentCursor(_files.Open(opened.Name, forWriting: false), opened.Header, _window);
            }

            bool isLast = _segment + 1 == _segments.Count;
            Tail tail = default;
            bool isThere = (isLast ? _cursor.MoveInLast(out tail) : _cursor.Move()) == CursorState.Group;
            (_at, _sequence) = (0, _cursor.Group.First);
            if (isThere && _cursor.Group.Kind == GroupKind.Items) return true;
            if (isThere && _cursor.Group.Kind != GroupKind.Sealed) continue;
            if (!Leave(_cursor, isSealed: isThere, isLast, tail)) return false;
        }
    }

    // At the end of a segment: to the next one, or to the end.
    private bool Leave(SegmentCursor cursor, bool isSealed, bool isLast, in Tail tail)
    {
        SegmentFile segment = _segments[_segment];
        if (!isLast && (!isSealed || cursor.Next != _segments[_segment + 1].Header.First))
            throw Recovery.Damaged(_files, segment, cursor, _segments[_segment + 1].Header.First);
        if (isLast && _until != long.MaxValue && cursor.Next < _until) throw Recovery.Damaged(_files, segment, cursor, null);
        if (!isSealed && tail.Witness is { } witness)
            throw Recovery.Damaged(_files, segment, cursor, witness.First);
        cursor.Dispose();
        _window = cursor.Window;
        _cursor = null;
        _segment++;
        return !isLast;
    }
}
