using Raceway.Interop.Journal.Files;
using Raceway.Interop.Journal.Format;

namespace Raceway.Interop.Journal;

/// <summary>How a journal is written.</summary>
public sealed record JournalOptions
{
    /// <summary>When it is synced. Default: each batch.</summary>
    public Durability Durability { get; init; } = Durability.EachBatch;

    /// <summary>Bytes of a segment, which are reserved when it is made. Default: 64 MiB; at most 1 GiB.</summary>
    public long SegmentLength { get; init; } = 64 << 20;

    /// <summary>The longest item. Default: 1 MiB; at most 16 MiB.</summary>
    public int MaxItemLength { get; init; } = 1 << 20;

    /// <summary>A batch is written in groups that end when they have this many bytes. Default: 1 MiB; at most 16 MiB.</summary>
    public int GroupLength { get; init; } = 1 << 20;

    /// <summary>Whether opening checks every segment. Default false: the last one and the headers of all; a replay checks what it reads.</summary>
    public bool CheckAll { get; init; }

    /// <summary>How many snapshots that can be read stay; segments before the oldest of them go. Default: 2.</summary>
    public int KeepSnapshots { get; init; } = 2;

    /// <summary>Where segments go that no snapshot needs: a folder for this journal alone. Null: they are deleted.</summary>
    public string? ArchiveFolder { get; init; }

    /// <summary>What <see cref="Durability.Every"/> goes by, and how long a sync took. Default: the system's clock.</summary>
    public TimeProvider Time { get; init; } = TimeProvider.System;

    /// <summary>Runs what is done beside the writer: the next segment, snapshots. Null: all is done where it is needed.</summary>
    internal Action<Action>? Ahead { get; init; } = Beside.Run;

    internal JournalOptions Checked()
    {
        if (Durability is null) throw new ArgumentNullException(nameof(Durability));
        if (Time is null) throw new ArgumentNullException(nameof(Time));
        if (MaxItemLength is < 1 or > JournalFormat.MostItemLength) throw JournalErrors.Range(nameof(MaxItemLength), MaxItemLength, 1, JournalFormat.MostItemLength);
        if (GroupLength is < 1 or > JournalFormat.MostGroupTarget) throw JournalErrors.Range(nameof(GroupLength), GroupLength, 1, JournalFormat.MostGroupTarget);
        if (KeepSnapshots < 1) throw JournalErrors.Range(nameof(KeepSnapshots), KeepSnapshots, 1, int.MaxValue);
        long least = LeastSegmentLength;
        if (SegmentLength < least || SegmentLength > JournalFormat.MostSegmentLength)
            throw JournalErrors.Range(nameof(SegmentLength), SegmentLength, least, JournalFormat.MostSegmentLength);
        return this;
    }

    /// <summary>The options of the journal in that folder.</summary>
    internal JournalOptions For(string folder)
    {
        if (ArchiveFolder is null) return this;
        string archive = Path.TrimEndingDirectorySeparator(Path.GetFullPath(ArchiveFolder));
        StringComparison names = OperatingSystem.IsWindows() ? StringComparison.OrdinalIgnoreCase : StringComparison.Ordinal;
        return string.Equals(archive, folder, names) ? throw JournalErrors.ArchiveIsItself(archive) : this with { ArchiveFolder = archive };
    }

    // The header, the longest group, and a mark before and two behind it.
    private long LeastSegmentLength => JournalFormat.SegmentHeaderLength
        + JournalFormat.Align(JournalFormat.GroupHeaderLength + GroupLength + (2 * JournalFormat.RecordHeaderLength) + MaxItemLength, JournalFormat.LeastAlignment)
        + (3 * JournalFormat.GroupHeaderLength);
}
