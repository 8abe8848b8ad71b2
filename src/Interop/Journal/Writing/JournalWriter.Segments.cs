using Raceway.Interop.Journal.Files;
using Raceway.Interop.Journal.Format;
using Raceway.Interop.Journal.Reading;

namespace Raceway.Interop.Journal.Writing;

/// <content>From segment to segment.</content>
internal sealed partial class JournalWriter
{
    private void GoOn(RecoveredTail tail, JournalSchema schema)
    {
        _written = _durable = new Extent(tail.Next, 0, tail.Offset);
        if (tail.File is { } file)
        {
            (_file, _segment, _chain) = (file, tail.Segment, tail.Chain);
            bool fits = !tail.IsSealed && HasRoom(JournalFormat.GroupHeaderLength);
            if (!fits || schema != _segment.Schema) Roll(schema, seal: !tail.IsSealed, filled: true);
        }
        else
        {
            var id = new byte[sizeof(ulong)];
            System.Security.Cryptography.RandomNumberGenerator.Fill(id);
            Take(new SegmentHeader(BitConverter.ToUInt64(id), 0, -1, _options.SegmentLength, Epoch, schema, JournalFormat.LeastAlignment), filled: true);
        }

        WriteMark(GroupKind.Opened);
        SyncWritten();
        _supply.Prepare();
    }

    private void Roll(JournalSchema schema, bool seal = true, bool filled = false)
    {
        if (seal)
        {
            WriteMark(GroupKind.Sealed);
            SyncWritten();
        }

        // A segment that holds no item gives its name to its successor, and would be replaced by it.
        Extent written = Written;
        lock (_syncing)
        {
            SegmentHeader last = _segment;
            _file!.Dispose();
            _file = null;
            long previous = written.Items == last.First ? last.Previous : last.First;
            try
            {
                Take(new SegmentHeader(last.Journal, written.Items, previous, _options.SegmentLength, Epoch, schema, JournalFormat.LeastAlignment), filled);
            }
            catch (Exception cause)
            {
                // With the lock held: there is no file to sync any more.
                throw Fail(cause);
            }
        }

        _supply.Prepare();
    }

    private void Take(SegmentHeader header, bool filled)
    {
        _file = _supply.Take(ref header, filled);
        (_segment, _chain) = (header, header.Checksum);
        lock (_gate)
        {
            _written = _written with { Offset = JournalFormat.SegmentHeaderLength };
            _durable = _durable with { Offset = JournalFormat.SegmentHeaderLength };
        }
    }

    // Behind every group there is room for two marks: a segment can always be closed, and then sealed by the next opening.
    private bool HasRoom(int total) =>
        JournalFormat.Align(_written.Offset + total, _segment.Alignment)
        + (2 * JournalFormat.Align(JournalFormat.GroupHeaderLength, _segment.Alignment)) <= _segment.Length;
}
