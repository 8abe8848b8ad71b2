using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using Raceway.Interop.Journal.Files;
using Raceway.Interop.Journal.Format;
using Raceway.Interop.Journal.Reading;
using Raceway.Interop.Journal.Snapshots;
using Raceway.Interop.Journal.Writing;

namespace Raceway.Interop.Journal;

/// <summary>Snapshots of a handler's state, so that a replay need not begin at the first item.</summary>
/// <remarks>
/// <para>1. The handler serialises its state between two batches, on its own thread, into memory (<see cref="TrySave"/>).
/// 2. Another thread makes the journal durable through that sequence, writes the file whole under another name, syncs it, gives it
/// its name and syncs the folder. 3. Older snapshots beyond <see cref="JournalOptions.KeepSnapshots"/> are deleted; one that is not
/// what was written does not count. 4. Segments that lie wholly before the oldest snapshot kept are deleted or archived, oldest first.</para>
/// <para>So at any moment there is a snapshot and all items behind it. A power cut within leaves a file that opening deletes.</para>
/// <para><b>Threads</b>: saved by one thread at a time, the handler's; everything else by any.</para>
/// </remarks>
/// <example>
/// <code>
/// // The journal was opened with stamp: static (ref Order order, long sequence) => order.Id = sequence.
/// internal sealed class Totals(JournalSnapshots snapshots) : IBatchHandler&lt;Order>
/// {
///     private long _pieces = snapshots.Latest is { } latest ? BitConverter.ToInt64(latest.State.Span) : 0;
///
///     public void OnBatch(Batch&lt;Order> batch)
///     {
///         foreach (Order order in batch) _pieces += order.Pieces;
///         long next = batch[batch.Count - 1].Id + 1;
///         snapshots.TrySave(next, _pieces, static (pieces, output) => output.Write(BitConverter.GetBytes(pieces)));
///     }
/// }
/// </code>
/// </example>
public sealed class JournalSnapshots
{
    private readonly object _gate = new();
    private readonly JournalFiles _files;
    private readonly JournalWriter _writer;
    private readonly JournalOptions _options;
    private readonly ArrayBufferWriter<byte> _state = new();

    // Used by one thread at a time, the one that saves.
    private readonly HashSet<long> _right = [];
    private bool _writes;
    private bool _ended;

    internal JournalSnapshots(JournalFiles files, JournalWriter writer, JournalOptions options, FoundSnapshots found)
    {
        _files = files;
        _writer = writer;
        _options = options;
        (Latest, Damaged) = found;
        if (Latest is not null) _right.Add(Latest.Next);
    }

    /// <summary>The newest snapshot that was there when the journal was opened, and is right; null if there is none.</summary>
    public JournalSnapshot? Latest { get; }

    /// <summary>Files of newer snapshots that are not what was written. They are left as they are.</summary>
    public IReadOnlyList<string> Damaged { get; }

    /// <summary>Why the last snapshot could not be written; null if it could.</summary>
    public Exception? Fault { get; private set; }

    /// <summary>How many have been written since the journal was opened.</summary>
    public long Written { get; private set; }

    /// <summary>Takes a snapshot, unless the one before is still being written.</summary>
    /// <param name="next">The sequence of the first item that the state does not include.</param>
    /// <param name="state">Given to <paramref name="write"/>.</param>
    /// <param name="write">Serialises the state. It is called before this returns.</param>
    /// <returns>False if the one before is still being written: try again after a later batch.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The journal has no such item.</exception>
    public bool TrySave<TState>(long next, TState state, Action<TState, IBufferWriter<byte>> write)
    {
        ArgumentNullException.ThrowIfNull(write);
        lock (_gate)
        {
            if (_writes || _ended) return false;
            _writes = true;
        }

        try
        {
            if (next < 0 || next > _writer.Written.Items) throw JournalErrors.SnapshotBeyond(next, _writer.Written.Items);
            _state.ResetWrittenCount();
            write(state, _state);
        }
        catch
        {
            End(null, written: false);
            throw;
        }

        if (_options.Ahead is { } ahead) ahead(() => Save(next));
        else Save(next);
        return true;
    }

    /// <summary>Waits until what is being written has been, and takes no more.</summary>
    internal void Close()
    {
        lock (_gate)
        {
            _ended = true;
            while (_writes) Monitor.Wait(_gate);
        }
    }

    private void Save(long next)
    {
        try
        {
            // Else a power cut could leave a state of items that the journal does not have.
            if (_writer.Durable.Items < next) _writer.Sync();
            SnapshotFile.Write(_files, next, _state.WrittenSpan);
            _right.Add(next);
            long oldest = SnapshotFile.DeleteOlder(_files, _options.KeepSnapshots, _right);
            Retire(oldest);
            End(null, written: true);
        }
        catch (Exception fault)
        {
            End(fault, written: false);
        }
    }

    private void Retire(long oldest)
    {
        List<(string Name, long First)> segments = [.. SegmentFiles.Names(_files)];
        for (int i = 0; i + 1 < segments.Count && segments[i + 1].First <= oldest; i++)
        {
            if (_options.ArchiveFolder is { } archive) _files.Archive(segments[i].Name, archive);
            else _files.Delete(segments[i].Name);
            // Each by itself: were a later deletion to survive a power cut and this one not, the row would have a gap.
            _files.SyncFolder();
        }
    }

    private void End(Exception? fault, bool written)
    {
        lock (_gate)
        {
            _writes = false;
            Fault = fault;
            if (written) Written++;
            Monitor.PulseAll(_gate);
        }
    }
}

/// <summary>A handler's state, as it was before an item.</summary>
/// <param name="Next">The sequence of the first item that it does not include: replay from there.</param>
/// <param name="State">What the handler has written.</param>
public sealed record JournalSnapshot(long Next, ReadOnlyMemory<byte> State);
