using System.Buffers;
using Raceway.Interop.Journal.Files;
using Raceway.Interop.Journal.Format;

namespace Raceway.Interop.Journal.Writing;

/// <summary>Makes segments: one is filled with zeros ahead of time, so that a roll writes a header and a name.</summary>
/// <remarks>
/// 1. The file is written whole under another name. Its blocks are real ones, so a later sync has no sizes and extents to log.
/// 2. The header is written and the file synced. 3. It gets its name. 4. The folder is synced. A power cut before 3 leaves a
/// file that opening deletes; a segment that has its name is whole.
/// <para><b>Threads</b>: taken by the writer; the one ahead is made by another thread.</para>
/// </remarks>
internal sealed class SegmentSupply(JournalFiles files, long length, Action<Action>? ahead) : IDisposable
{
    // Never written to, so all journals share it. A pool would drop it between two segments, and allocate it again.
    private static readonly byte[] s_zeros = new byte[256 << 10];

    private readonly object _gate = new();
    private IJournalFile? _next;
    private bool _making;
    private bool _ended;

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
    public IJournalFile Take(ref SegmentHeader header)
    {
        IJournalFile file = Made() ?? Make();
        try
        {
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

    /// <summary>Waits for what is being made, and gives it up.</summary>
    public void Dispose()
    {
        lock (_gate)
        {
            _ended = true;
            while (_making) Monitor.Wait(_gate);
            if (_next is null) return;
            _next.Dispose();
            _next = null;
        }

        files.Delete(JournalFormat.Unfinished);
    }

    private IJournalFile? Made()
    {
        lock (_gate)
        {
            while (_making) Monitor.Wait(_gate);
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
            made = Make();
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

    private IJournalFile Make()
    {
        IJournalFile file = files.Create(JournalFormat.Unfinished);
        try
        {
            for (long at = 0; at < length;)
            {
                int part = (int)Math.Min(length - at, s_zeros.Length);
                file.WriteAll(s_zeros.AsSpan(0, part), at);
                at += part;
            }

            file.Sync();
            return file;
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }
}
