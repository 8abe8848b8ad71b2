using Microsoft.Win32.SafeHandles;

namespace Raceway.Interop.Logging.Files;

/// <summary>What a log file asks of the system. Tests put faults in between.</summary>
internal class LogDisk
{
    /// <summary>The system's own.</summary>
    public static LogDisk System { get; } = new();

    /// <summary>Opens a file for writing at its end; makes it, and its folder, if they are not there.</summary>
    public virtual SafeFileHandle Open(string path)
    {
        if (Path.GetDirectoryName(path) is { Length: > 0 } folder) Directory.CreateDirectory(folder);
        return File.OpenHandle(path, FileMode.OpenOrCreate, FileAccess.Write, FileShare.ReadWrite | FileShare.Delete);
    }

    public virtual long LengthOf(SafeFileHandle file) => RandomAccess.GetLength(file);

    public virtual void Write(SafeFileHandle file, ReadOnlySpan<byte> bytes, long offset) => RandomAccess.Write(file, bytes, offset);

    public virtual void Sync(SafeFileHandle file) => RandomAccess.FlushToDisk(file);

    public virtual void Truncate(SafeFileHandle file, long length) => RandomAccess.SetLength(file, length);

    /// <summary>The length of what lies under that name now; null if nothing does.</summary>
    public virtual long? LengthAt(string path)
    {
        var file = new FileInfo(path);
        return file.Exists ? file.Length : null;
    }
}
