using System.Buffers.Binary;
using System.Globalization;
using Raceway.Interop.Journal.Files;
using Raceway.Interop.Journal.Format;

namespace Raceway.Interop.Journal.Snapshots;

/// <summary>The snapshots that an opening finds.</summary>
/// <param name="Latest">The newest one that is right; null if there is none.</param>
/// <param name="Damaged">The names of newer ones that are not right.</param>
internal sealed record FoundSnapshots(JournalSnapshot? Latest, IReadOnlyList<string> Damaged);

/// <summary>The file of a snapshot: a header of 32 bytes with a checksum over header and state, and the state.</summary>
internal static class SnapshotFile
{
    private const ulong Magic = 0x4C4E524A59574353; // "SCWYJRNL"
    private const int HeaderLength = 32;
    private const string End = ".snapshot";
    private const string Unfinished = "state" + JournalFormat.Unfinished;

    public static string Name(long next) => string.Create(CultureInfo.InvariantCulture, $"{next:D20}{End}");

    /// <summary>All snapshots by name, newest first.</summary>
    public static IEnumerable<(string Name, long Next)> Names(JournalFiles files) =>
        files.List()
            .Select(static name => (Name: name, IsOne: IsSnapshot(name, out long next), Next: next))
            .Where(static one => one.IsOne)
            .OrderByDescending(static one => one.Next)
            .Select(static one => (one.Name, one.Next));

    public static void Write(JournalFiles files, long next, ReadOnlySpan<byte> state)
    {
        Span<byte> header = stackalloc byte[HeaderLength];
        BinaryPrimitives.WriteUInt64LittleEndian(header, Magic);
        BinaryPrimitives.WriteInt64LittleEndian(header[8..], next);
        BinaryPrimitives.WriteInt64LittleEndian(header[16..], state.Length);
        BinaryPrimitives.WriteUInt32LittleEndian(header[24..], JournalFormat.Version);
        BinaryPrimitives.WriteUInt32LittleEndian(header[28..], Checksum(header, state));
        using (IJournalFile file = files.Create(Unfinished))
        {
            file.WriteAll(header, 0);
            file.WriteAll(state, HeaderLength);
            file.Sync();
        }

        files.Rename(Unfinished, Name(next));
        files.SyncFolder();
    }

    /// <summary>The newest one that is right, and the names of newer ones that are not.</summary>
    /// <param name="files">Where.</param>
    /// <param name="reach">Later ones are not looked at.</param>
    public static FoundSnapshots FindLatest(JournalFiles files, long reach = long.MaxValue)
    {
        List<string> damaged = [];
        foreach ((string name, long next) in Names(files))
        {
            if (next > reach) continue;
            if (Read(files, name, next) is { } latest) return new FoundSnapshots(latest, damaged);
            damaged.Add(name);
        }

        return new FoundSnapshots(null, damaged);
    }

    /// <summary>Keeps the newest ones that are right, and deletes all that are older; says where the oldest one kept begins.</summary>
    /// <param name="files">Where.</param>
    /// <param name="keep">How many.</param>
    /// <param name="right">Those that are known to be right: they are not read again.</param>
    public static long DeleteOlder(JournalFiles files, int keep, HashSet<long> right)
    {
        long oldest = 0;
        int kept = 0;
        foreach ((string name, long next) in Names(files))
        {
            if (kept == keep)
            {
                files.Delete(name);
                right.Remove(next);
            }
            else if (right.Contains(next) || IsRight(files, name, next))
            {
                right.Add(next);
                oldest = next;
                kept++;
            }
        }

        return oldest;
    }

    // Of one that is kept, an error says as much as wrong bytes. An opening is refused by it: the next one may be able to read the file.
    private static bool IsRight(JournalFiles files, string name, long next)
    {
        try
        {
            return Read(files, name, next) is not null;
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            return false;
        }
    }

    /// <summary>Whether a journal of the items from <paramref name="first"/> on has all of them from the newest snapshot on.</summary>
    /// <param name="files">Where.</param>
    /// <param name="first">The oldest item of the journal.</param>
    /// <param name="next">The sequence behind its last.</param>
    /// <param name="reach">Later snapshots are not looked at: a writer at work has them of items that were not read.</param>
    /// <returns>What is lost; null if it has all.</returns>
    public static JournalDamage? FindLost(JournalFiles files, long first, long next, long reach) =>
        LostBehind(FindLatest(files, reach).Latest, first, next);

    /// <summary>Checks that a journal of the items from <paramref name="first"/> on has all of them from the newest snapshot on.</summary>
    /// <returns>The snapshots that were found.</returns>
    /// <exception cref="JournalDamagedException">It has not: they were lost.</exception>
    public static FoundSnapshots CheckAgainst(JournalFiles files, long first, long next)
    {
        FoundSnapshots found = FindLatest(files);
        return LostBehind(found.Latest, first, next) is { } lost ? throw new JournalDamagedException(lost, files.Folder) : found;
    }

    private static JournalDamage? LostBehind(JournalSnapshot? latest, long first, long next)
    {
        return
            latest is null ? null
            : latest.Next > next ? Lost(next, latest.Next, $"its snapshot is the state before item {latest.Next}, and its items end before {next}")
            : latest.Next < first ? Lost(latest.Next, first, $"its snapshot is the state before item {latest.Next}, and its items begin with {first}")
            : null;

        JournalDamage Lost(long from, long known, string reason) => new(Name(latest.Next), 0, from, known, reason);
    }

    private static JournalSnapshot? Read(JournalFiles files, string name, long next)
    {
        using IJournalFile file = files.Open(name, forWriting: false);
        long length = file.Length - HeaderLength;
        if (length is < 0 or > int.MaxValue - HeaderLength) return null;
        Span<byte> header = stackalloc byte[HeaderLength];
        if (file.ReadAll(header, 0) < HeaderLength
            || BinaryPrimitives.ReadUInt64LittleEndian(header) != Magic
            || BinaryPrimitives.ReadInt64LittleEndian(header[8..]) != next
            || BinaryPrimitives.ReadInt64LittleEndian(header[16..]) != length
            || BinaryPrimitives.ReadUInt32LittleEndian(header[24..]) != JournalFormat.Version)
        {
            return null;
        }

        byte[] state = new byte[length];
        return file.ReadAll(state, HeaderLength) == length && BinaryPrimitives.ReadUInt32LittleEndian(header[28..]) == Checksum(header, state)
            ? new JournalSnapshot(next, state)
            : null;
    }

    private static uint Checksum(ReadOnlySpan<byte> header, ReadOnlySpan<byte> state) =>
        Crc32C.End(Crc32C.Add(Crc32C.Add(Crc32C.Start, header[..28]), state));

    private static bool IsSnapshot(string name, out long next)
    {
        next = -1;
        return name.EndsWith(End, StringComparison.Ordinal)
            && long.TryParse(name.AsSpan(0, name.Length - End.Length), NumberStyles.None, CultureInfo.InvariantCulture, out next)
            && name == Name(next);
    }
}
