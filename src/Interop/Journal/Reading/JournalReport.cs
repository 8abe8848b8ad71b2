namespace Raceway.Interop.Journal;

/// <summary>What a journal holds, and whether all of it is right.</summary>
/// <param name="Folder">Where it is.</param>
/// <param name="First">The oldest item.</param>
/// <param name="Next">The sequence behind the last item that can be read.</param>
/// <param name="Segments">Its files, oldest first, up to the damage.</param>
/// <param name="TornBytes">Bytes behind the last group that are none: the next opening cuts them. While a writer is at work, what it
/// is writing.</param>
/// <param name="WasClosed">Whether its last writer closed it.</param>
/// <param name="Damage">The first place that is not what was written; null if there is none.</param>
public sealed record JournalReport(
    string Folder, long First, long Next, IReadOnlyList<SegmentReport> Segments, long TornBytes, bool WasClosed, JournalDamage? Damage)
{
    /// <summary>How many items can be read.</summary>
    public long Count => Next - First;
}

/// <summary>A segment of a journal.</summary>
/// <param name="File">Its name.</param>
/// <param name="First">Its first item.</param>
/// <param name="Next">The sequence behind its last.</param>
/// <param name="Groups">How many writes its items came by.</param>
/// <param name="UsedBytes">Bytes up to its last group.</param>
/// <param name="Length">Bytes of the file.</param>
/// <param name="Epoch">How often the journal had been opened when its last group was written.</param>
/// <param name="Schema">What its items are.</param>
public sealed record SegmentReport(
    string File, long First, long Next, long Groups, long UsedBytes, long Length, long Epoch, JournalSchema Schema);

/// <summary>An item as it is stored.</summary>
/// <param name="Sequence">Its sequence.</param>
/// <param name="Schema">What it is.</param>
/// <param name="Bytes">As its codec wrote it.</param>
public readonly record struct StoredItem(long Sequence, JournalSchema Schema, ReadOnlyMemory<byte> Bytes);
