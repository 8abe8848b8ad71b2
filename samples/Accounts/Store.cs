using System.Buffers;
using System.Runtime.InteropServices;
using Raceway.Interop.Journal;
using Raceway.Rings;

namespace Accounts;

/// <summary>Where the journal is, and how it is read.</summary>
internal static class Store
{
    /// <summary>Small segments, so that a short run fills some.</summary>
    public static JournalOptions Small { get; } = new() { SegmentLength = 256 << 10, GroupLength = 64 << 10, MaxItemLength = 1 << 10 };

    /// <summary>The service's journal. Segments that no snapshot needs go to an archive.</summary>
    public static Journal<Command> Open(string folder) => Journal<Command>.Open(
        JournalOf(folder), JournalCodec.Unmanaged<Command>(), Small with { ArchiveFolder = ArchiveOf(folder) });

    /// <summary>Every command from an offset on, archive and journal.</summary>
    public static IEnumerable<Command> Read(string folder, long from = 0)
    {
        // A segment may be in both for a moment, so the journal is read from where the archive ends.
        long next = from;
        bool isArchived = Directory.Exists(ArchiveOf(folder)) && Directory.GetFiles(ArchiveOf(folder), "*.segment").Length > 0;
        foreach (StoredItem item in isArchived ? JournalFolder.Read(ArchiveOf(folder), from) : [])
        {
            yield return MemoryMarshal.Read<Command>(item.Bytes.Span);
            next = item.Sequence + 1;
        }

        foreach (StoredItem item in JournalFolder.Read(JournalOf(folder), next)) yield return MemoryMarshal.Read<Command>(item.Bytes.Span);
    }

    private static string JournalOf(string folder) => Path.Combine(folder, "journal");

    private static string ArchiveOf(string folder) => Path.Combine(folder, "archive");
}

/// <summary>Saves a copy of the state, once nothing that lies before it can be asked for again.</summary>
internal sealed class SnapshotStage(Journal<Command> journal, Bank bank, Replica replica) : IBatchHandler<Command>
{
    public void OnBatch(Batch<Command> batch)
    {
        // This stage follows the output, so the replies of this batch and of all before it are on the disk.
        if (bank.Copy is not { } copy || copy.Next > batch[batch.Count - 1].Offset + 1 || copy.Next > replica.Next) return;
        if (journal.Snapshots.TrySave(copy.Next, copy.State, static (state, output) => output.Write(state.Span))) bank.Copy = null;
    }
}
