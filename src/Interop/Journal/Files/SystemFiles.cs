using Microsoft.Win32.SafeHandles;
using Raceway.Interop.Journal.Format;
using Raceway.Interop.Journal.Reading;

namespace Raceway.Interop.Journal.Files;

/// <summary>A folder of the file system.</summary>
internal sealed class SystemFiles(string folder) : JournalFiles
{
    public override string Folder => folder;

    /// <summary>Makes a folder that is not there, and those above it. The name of each is durable in the one above it.</summary>
    public static void MakeFolder(string full) => MakeFolder(full, SystemCalls.SyncFolder);

    /// <inheritdoc cref="MakeFolder(string)"/>
    /// <param name="full">The folder.</param>
    /// <param name="sync">Makes the names in a folder durable.</param>
    internal static void MakeFolder(string full, Action<string> sync)
    {
        bool isThere = Directory.Exists(full);
        // One that is empty may be that of a process that was killed before it could sync its name.
        if (isThere && Directory.EnumerateFileSystemEntries(full).Any()) return;
        if (Path.GetDirectoryName(full) is not { } above) return;
        MakeFolder(above, sync);
        Directory.CreateDirectory(full);
        try
        {
            sync(above);
        }
        catch (UnauthorizedAccessException) when (isThere)
        {
            // It is another user's, as is, perhaps, this one.
        }
    }

    public override IReadOnlyList<string> List() => [.. new DirectoryInfo(folder).EnumerateFiles().Select(static file => file.Name)];

    public override IJournalFile Create(string name) =>
        new SystemFile(File.OpenHandle(At(name), FileMode.Create, FileAccess.ReadWrite, FileShare.ReadWrite | FileShare.Delete));

    public override IJournalFile Open(string name, bool forWriting) =>
        new SystemFile(File.OpenHandle(
            At(name), FileMode.Open, forWriting ? FileAccess.ReadWrite : FileAccess.Read, FileShare.ReadWrite | FileShare.Delete));

    public override void Rename(string from, string to) => File.Move(At(from), At(to), overwrite: true);

    public override void Delete(string name) => File.Delete(At(name));

    public override void Archive(string name, string target)
    {
        MakeFolder(target);
        string to = Path.Combine(target, name);
        ulong journal = JournalOf(this, name);
        // A copy of this segment may be there already. That of another journal may be its only one.
        bool isThere = File.Exists(to);
        if (isThere && JournalOf(new SystemFiles(target), name) != journal) throw JournalErrors.ArchiveOfAnother(to);
        // Copied, since it may be another file system. Under another name until it is whole: the archive can be read at any time,
        // and a copy that was cut off is written over the next time. Another journal may be archived there at this moment.
        string unfinished = Path.Combine(target, $"{journal:x16}{JournalFormat.Unfinished}");
        File.Copy(At(name), unfinished, overwrite: true);
        using (SafeFileHandle copy = File.OpenHandle(unfinished, FileMode.Open, FileAccess.ReadWrite)) RandomAccess.FlushToDisk(copy);
        File.Move(unfinished, to, overwrite: isThere);
        SystemCalls.SyncFolder(target);
        File.Delete(At(name));
    }

    public override void SyncFolder() => SystemCalls.SyncFolder(folder);

    public override IDisposable? TryLock()
    {
        SafeFileHandle handle;
        try
        {
            handle = File.OpenHandle(At(JournalFormat.LockName), FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None);
        }
        catch (IOException held) when (SystemCalls.IsHeld(held))
        {
            return null;
        }

        // The runtime's own lock can be switched off by the environment, so the kernel is asked again.
        try
        {
            if (OperatingSystem.IsWindows() || SystemCalls.TryLock(handle)) return handle;
        }
        catch
        {
            handle.Dispose();
            throw;
        }

        handle.Dispose();
        return null;
    }

    private static ulong JournalOf(SystemFiles files, string name) => SegmentFiles.ReadHeader(files, name, 0, out _).Journal;

    private string At(string name) => Path.Combine(folder, name);

    private sealed class SystemFile(SafeFileHandle handle) : IJournalFile
    {
        private GatheredWrite? _gathered;

        public long Length => RandomAccess.GetLength(handle);

        public int Read(Span<byte> into, long from) => RandomAccess.Read(handle, into, from);

        public int Write(ReadOnlySpan<byte> bytes, long at)
        {
            RandomAccess.Write(handle, bytes, at);
            return bytes.Length;
        }

        public int Write(ReadOnlySpan<ReadOnlyMemory<byte>> pieces, long at) =>
            GatheredWrite.IsThere ? (_gathered ??= new GatheredWrite()).Write(handle, pieces, at) : Write(pieces[0].Span, at);

        public bool TryReserve(long length) => SystemCalls.TryReserve(handle, length);

        public void SetLength(long length) => RandomAccess.SetLength(handle, length);

        public void Sync() => SystemCalls.SyncData(handle);

        public void Dispose() => handle.Dispose();
    }
}
