using System.Buffers;
using Raceway.Interop.Journal.Files;
using Raceway.Interop.Journal.Format;

namespace Raceway.Interop.Journal.Writing;

/// <summary>Makes segments: the next one is made ahead of time, so that a roll writes a header and a name.</summary>
/// <remarks>
/// 1. The file's room is reserved under another name. 2. Zeros are written into it, part by part: a later sync has then no blocks to
/// note. 3. The header is written and the file synced. 4. It gets its name. 5. The folder is synced. A power cut before 4 leaves a
/// file that opening deletes; a segment that has its name is whole.
/// <para>Zeros make syncs shorter, so items should not wait for them. They pause while the disk is busy with items (<see cref="DiskLoad"/>).
/// A roll waits for the part that is being written, and takes the segment with as many zeros as there are: reserved room reads as
/// zeros, too. Where the file system cannot reserve room, a roll waits for all zeros.</para>
/// <para><b>Threads</b>: taken by the writer; the one ahead is made by another thread.</para>
/// </remarks>
internal sealed class SegmentSupply(JournalFiles files, long length, DiskLoad load, Action<Action>? ahead) : IDisposable
{
    // What is synced at once: another file's sync may have to wait for it.
    private const int Part = 1 << 20;

    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(10);

    // Never written to, so all journals share it. A pool would drop it between two segments, and allocate it again.
    private static readonly byte[] s_zeros = new byte[256 << 10];

    private readonly object _gate = new();
    private IJournalFile? _next;
    private bool _making;
    private bool _isNeeded;
    private bool _ended;

    /// <summary>Whether it makes no more.</summary>
    internal bool IsEnding => Volatile.Read(ref _ended);

    /// <summary>Starts to make the next one, where that is wished.</summary>
    public void Prepare()
    {
        if (ahead is null) return;
        lock (_gate)
        {
            if (_making || _next is not null || _ended) return;
            _making = true;
        }

        ahead(MakeAhead);
    }

    /// <summary>A segment with that header and its name, durable.</summary>
    /// <param name="header">Gets its checksum.</param>
    /// <param name="filled">Whether it must be filled with zeros first: where no item waits for it.</param>
    public IJournalFile Take(ref SegmentHeader header, bool filled)
    {
        IJournalFile file = Made() ?? Make(filled);
        try
        {
            if (file.Length < length) file.SetLength(length);
            byte[] block = ArrayPool<byte>.Shared.Rent(JournalFormat.SegmentHeaderLength);
            header = header.WriteTo(block);
            file.WriteAll(block.AsSpan(0, JournalFormat.SegmentHeaderLength), 0);
            ArrayPool<byte>.Shared.Return(block);
            file.Sync();
            files.Rename(JournalFormat.Unfinished, JournalFormat.SegmentName(header.First));
            files.SyncFolder();
            return file;
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }

    /// <summary>Waits for the part that is being written, and gives the segment up.</summary>
    public void Dispose()
    {
        lock (_gate) _ended = true;
        if (Made() is not { } made) return;
        made.Dispose();
        files.Delete(JournalFormat.Unfinished);
    }

    private IJournalFile? Made()
    {
        lock (_gate)
        {
            _isNeeded = true;
            Monitor.PulseAll(_gate);
            while (_making) Monitor.Wait(_gate);
            _isNeeded = false;
            IJournalFile? made = _next;
            _next = null;
            return made;
        }
    }

    private void MakeAhead()
    {
        IJournalFile? made = null;
        try
        {
            made = Make(filled: true);
        }
        catch (Exception)
        {
            // It is made again when it is needed, and then the writer is told why it cannot be.
        }

        lock (_gate)
        {
            _next = made;
            _making = false;
            Monitor.PulseAll(_gate);
        }
    }

    private IJournalFile Make(bool filled)
    {
        IJournalFile file = files.Create(JournalFormat.Unfinished);
        try
        {
            bool isReserved = file.TryReserve(length);
            for (long at = 0; at < length && GetsZeros(isReserved, filled); at += Part) Fill(file, at, (int)Math.Min(length - at, Part));
            return file;
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }

    private static void Fill(IJournalFile file, long at, int count)
    {
        for (int part; count > 0; at += part, count -= part)
        {
            part = Math.Min(count, s_zeros.Length);
            file.WriteAll(s_zeros.AsSpan(0, part), at);
        }

        file.Sync();
    }

    // Whether a part more is filled. Waits while the disk is busy with items, until the segment is needed as it is.
    private bool GetsZeros(bool isReserved, bool filled)
    {
        lock (_gate)
        {
            if (!isReserved) return !_ended;
            while (filled && !_isNeeded && load.IsHigh()) Monitor.Wait(_gate, s_pause);
            return filled && !_isNeeded;
        }
    }
}
