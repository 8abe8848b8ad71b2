namespace Raceway.Interop.Journal.Files;

/// <summary>The seam to the disk: all that a journal asks of a file system. Tests put a disk there that loses power.</summary>
/// <remarks>
/// What is assumed: bytes that <see cref="IJournalFile.Sync"/> covered stay; names that <see cref="SyncFolder"/> covered stay;
/// a rename happens or does not; a sector that is written is afterwards old or new. Nothing is assumed of the order in which
/// anything else arrives.
/// </remarks>
internal abstract class JournalFiles
{
    /// <summary>The folder, for messages.</summary>
    public abstract string Folder { get; }

    /// <summary>The names of all files, in no order.</summary>
    public abstract IReadOnlyList<string> List();

    /// <summary>A new file, for reading and writing; it replaces one of that name.</summary>
    public abstract IJournalFile Create(string name);

    /// <summary>A file that is there.</summary>
    public abstract IJournalFile Open(string name, bool forWriting);

    /// <summary>Gives a file another name, in one step.</summary>
    public abstract void Rename(string from, string to);

    public abstract void Delete(string name);

    /// <summary>Moves a file to another folder, where it is durable before it is gone here.</summary>
    public abstract void Archive(string name, string folder);

    /// <summary>Makes durable which names there are.</summary>
    public abstract void SyncFolder();

    /// <summary>Takes the journal for this writer alone, until disposed of or the process ends. Null: another one has it.</summary>
    public abstract IDisposable? TryLock();
}

/// <summary>A file of a journal.</summary>
internal interface IJournalFile : IDisposable
{
    long Length { get; }

    /// <summary>Reads at most as much as there is room for; 0 at the end.</summary>
    int Read(Span<byte> into, long from);

    /// <summary>Writes some of <paramref name="bytes"/>, and says how many.</summary>
    int Write(ReadOnlySpan<byte> bytes, long at);

    /// <summary>Writes some of what <paramref name="pieces"/> hold, one behind the other, and says how many bytes.</summary>
    int Write(ReadOnlySpan<ReadOnlyMemory<byte>> pieces, long at) => Write(pieces[0].Span, at);

    /// <summary>Keeps room on the disk for so many bytes; the length stays. False: this file system has no such call.</summary>
    /// <exception cref="IOException">There is no such room.</exception>
    bool TryReserve(long length);

    /// <summary>Makes the file that long; what was not written reads as zeros.</summary>
    void SetLength(long length);

    /// <summary>Makes durable what was written. After an exception nothing that no earlier sync covered can be relied on.</summary>
    void Sync();
}

/// <summary>Whole reads and writes.</summary>
internal static class WholeFiles
{
    public static void WriteAll(this IJournalFile file, ReadOnlySpan<byte> bytes, long at)
    {
        while (!bytes.IsEmpty)
        {
            int written = file.Write(bytes, at);
            if (written <= 0) throw JournalErrors.NoProgress(bytes.Length, at);
            bytes = bytes[written..];
            at += written;
        }
    }

    /// <summary>Writes all pieces, of which none is empty. What they hold is used up: they are cut as they are written.</summary>
    public static void WriteAll(this IJournalFile file, Span<ReadOnlyMemory<byte>> pieces, long at)
    {
        while (!pieces.IsEmpty)
        {
            int written = file.Write(pieces, at);
            if (written <= 0) throw JournalErrors.NoProgress(pieces[0].Length, at);
            at += written;
            while (!pieces.IsEmpty && written >= pieces[0].Length)
            {
                written -= pieces[0].Length;
                pieces = pieces[1..];
            }

            if (written > 0) pieces[0] = pieces[0][written..];
        }
    }

    /// <summary>Reads until there is no room or no more; says how much.</summary>
    public static int ReadAll(this IJournalFile file, Span<byte> into, long from)
    {
        int all = 0;
        while (all < into.Length && file.Read(into[all..], from + all) is > 0 and int read) all += read;
        return all;
    }
}
