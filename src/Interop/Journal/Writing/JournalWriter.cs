using Raceway.Interop.Journal.Files;
using Raceway.Interop.Journal.Format;
using Raceway.Interop.Journal.Reading;

namespace Raceway.Interop.Journal.Writing;

/// <summary>Appends groups to the last segment, syncs them, and goes on in the next segment when one is full.</summary>
/// <remarks>
/// <para>What is acknowledged: <see cref="Durable"/> moves only when a sync has returned that began after the write. Before a
/// segment gets a successor all of it is synced, so a segment with a successor is whole.</para>
/// <para>The first error of a write or a sync is the last thing that happens: which bytes reached the disk is then unknown, and a
/// second sync would say nothing about them, since the system forgets what it could not write. Opening again reads what is
/// there, writes what it cannot know to be durable once more, and syncs that.</para>
/// <para><b>Threads</b>: any. Groups, and the closing mark, are written one after another.</para>
/// </remarks>
internal sealed partial class JournalWriter
{
    // Taken in this order. One thread at a time writes to the segment, or goes on to the next one.
    private readonly object _appending = new();

    // One thread at a time syncs or changes the file. Writes go on beside a sync.
    private readonly object _syncing = new();

    // Held while the extents change.
    private readonly object _gate = new();
    private readonly JournalFiles _files;
    private readonly JournalOptions _options;
    private readonly DiskLoad _load;
    private readonly SegmentSupply _supply;
    private readonly byte[] _mark = new byte[JournalFormat.GroupHeaderLength];
    private IJournalFile? _file;
    private SegmentHeader _segment;
    private uint _chain;
    private Extent _written;
    private Extent _durable;
    private Exception? _fault;
    private bool _closed;

    private JournalWriter(JournalFiles files, JournalOptions options)
    {
        _files = files;
        _options = options;
        _load = new DiskLoad(options.Time);
        _supply = new SegmentSupply(files, options.SegmentLength, _load, options.Ahead);
    }

    /// <summary>Of this opening.</summary>
    public ulong Epoch { get; private set; }

    /// <summary>What is written.</summary>
    public Extent Written
    {
        get
        {
            lock (_gate) return _written;
        }
    }

    /// <summary>What is durable.</summary>
    public Extent Durable
    {
        get
        {
            lock (_gate) return _durable;
        }
    }

    /// <summary>Told of each sync that returned, with what is durable now.</summary>
    public Action<Extent>? Synced { get; init; }

    /// <summary>Is told of writes and syncs.</summary>
    public JournalMeter? Meter { get; set; }

    /// <summary>Told once, of the first error.</summary>
    public Action<Exception>? Failed { get; init; }

    /// <summary>Goes on behind what recovery has found, and says so by a mark.</summary>
    public static JournalWriter Begin(
        JournalFiles files, RecoveredTail tail, JournalSchema schema, JournalOptions options, Action<Extent> synced, Action<Exception> failed)
    {
        var writer = new JournalWriter(files, options) { Epoch = tail.Epoch + 1, Synced = synced, Failed = failed };
        try
        {
            writer.GoOn(tail, schema);
            return writer;
        }
        catch (JournalException failure) when (failure.InnerException is { } cause)
        {
            // It is not open: what it has failed for is why it cannot be opened.
            writer.Abandon();
            throw JournalErrors.Unusable(files.Folder, cause);
        }
        catch
        {
            writer.Abandon();
            throw;
        }
    }

    /// <summary>Writes a group by one write. It is not durable yet.</summary>
    /// <param name="group">The group.</param>
    /// <param name="ring">The ring position behind its last item.</param>
    public void Append(GroupBuffer group, long ring)
    {
        lock (_appending)
        {
            try
            {
                ThrowIfOver();
                if (!HasRoom(group.Total)) Roll(_segment.Schema);
                long at = _written.Offset;
                GroupHeader header = group.WriteTo(_file!, _segment, at, (int)Durable.Offset, _chain);
                Advance(header, at, ring);
            }
            catch (Exception cause)
            {
                // With the lock held: what waits for it must find the fault, and do nothing more.
                throw Fail(cause);
            }
        }

        Meter?.Wrote(group.Count, group.Total);
    }

    /// <summary>Makes durable what is written when it is called.</summary>
    public void Sync()
    {
        try
        {
            SyncWritten();
        }
        catch (Exception cause)
        {
            throw Fail(cause);
        }
    }

    /// <summary>Says that items up to a ring position are stored already: those that a replay has brought.</summary>
    public void PassStored(long ring)
    {
        Extent durable;
        lock (_gate)
        {
            _written = _written with { Ring = ring };
            if (_durable.Items == _written.Items) _durable = _durable with { Ring = ring };
            durable = _durable;
        }

        Synced?.Invoke(durable);
    }

    /// <summary>Ends the journal with a mark that says that all of it is durable.</summary>
    public void Close()
    {
        lock (_appending)
        {
            if (_closed) return;
            try
            {
                ThrowIfOver();
                SyncWritten();
                WriteMark(GroupKind.Closed);
                SyncWritten();
            }
            catch (Exception cause)
            {
                throw Fail(cause);
            }
            finally
            {
                Abandon();
            }
        }
    }

    /// <summary>Throws if it has failed or is closed.</summary>
    public void ThrowIfOver()
    {
        // ORDER: acquire, pairs with the exchange in Fail: the thread that sees the fault sees all of it.
        if (Volatile.Read(ref _fault) is { } fault) throw JournalErrors.Faulted(_files.Folder, fault);
        if (_closed) throw JournalErrors.Closed(_files.Folder);
    }

    private void WriteMark(GroupKind kind)
    {
        Extent written = Written;
        GroupHeader header = new GroupHeader(
            kind, 0, 0, written.Items, (int)Durable.Offset, _chain, Epoch, 0).WriteTo(_mark, _segment, written.Offset);
        _file!.WriteAll(_mark, written.Offset);
        Advance(header, written.Offset, written.Ring);
    }

    private void Advance(in GroupHeader header, long at, long ring)
    {
        _chain = header.Checksum;
        lock (_gate)
            _written = new Extent(header.First + header.Count, ring, JournalFormat.Align(at + header.Total, _segment.Alignment));
    }

    private void SyncWritten()
    {
        Extent durable;
        lock (_syncing)
        {
            ThrowIfOver();
            long bytes;
            lock (_gate)
            {
                if (_durable == _written) return;
                bytes = _written.Offset - _durable.Offset;
                durable = _written;
            }

            long since = _load.Begin(bytes);
            TimeSpan took;
            try
            {
                _file!.Sync();
            }
            catch (Exception cause)
            {
                // With the lock held: a second sync would call durable what this one has lost.
                throw Fail(cause);
            }
            finally
            {
                took = _load.End(since);
            }

            Meter?.Synced(took);
            lock (_gate) _durable = durable;
        }

        Synced?.Invoke(durable);
    }

    private Exception Fail(Exception cause)
    {
        if (cause is ObjectDisposedException && _closed) return cause;
        // ORDER: full fence, pairs with ThrowIfOver.
        if (Interlocked.CompareExchange(ref _fault, cause, null) is { } earlier)
            return cause is JournalException ? cause : JournalErrors.Faulted(_files.Folder, earlier);
        JournalException fault = JournalErrors.Faulted(_files.Folder, cause);
        Failed?.Invoke(fault);
        return fault;
    }

    /// <summary>Releases the file, and ends the making of segments. It leaves no mark: the journal counts as one that was not closed.</summary>
    public void Abandon()
    {
        lock (_syncing)
        {
            if (_closed) return;
            _closed = true;
            _file?.Dispose();
        }

        try
        {
            _supply.Dispose();
        }
        catch (IOException)
        {
            // The unfinished segment stays; the next opening deletes it.
        }
    }
}
