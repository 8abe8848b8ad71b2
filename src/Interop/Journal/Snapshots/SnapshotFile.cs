using System.Buffers.Binary;
using System.Globalization;
using Raceway.Interop.Journal.Files;
using Raceway.Interop.Journal.Format;

namespace Raceway.Interop.Journal.Snapshots;

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
    public static void FindLatest(JournalFiles files, out JournalSnapshot? latest, out IReadOnlyList<string> damaged)
    {
        List<string> wrong = [];
        (latest, damaged) = (null, wrong);
        foreach ((string name, long next) in Names(files))
        {
            latest = Read(files, name, next);
            if (latest is not null) return;
            wrong.Add(name);
        }
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
    /// <returns>What is lost; null if it has all.</returns>
    public static JournalDamage? FindLost(JournalFiles files, long first, long next)
    {
        FindLatest(files, out JournalSnapshot? latest, out _);
        return latest is null || (latest.Next >= first && latest.Next <= next)
            ? null
            : new JournalDamage(
                Name(latest.Next), 0, Math.Min(latest.Next, next), latest.Next, $"the journal holds items from {first} to {next - 1}, which do not reach its snapshot");
    }

    /// <summary>The same, where it must have all.</summary>
    /// <exception cref="JournalDamagedException">It has not: they were lost.</exception>
    public static void CheckAgainst(JournalFiles files, long first, long next)
    {
        if (FindLost(files, first, next) is { } lost) throw new JournalDamagedException(lost, files.Folder);
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
