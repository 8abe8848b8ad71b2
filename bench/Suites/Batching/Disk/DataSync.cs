using System.ComponentModel;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Raceway.Suites.Batching.Disk;

/// <summary>Makes what was written to a file durable.</summary>
internal static partial class DataSync
{
    private const int Interrupted = 4;

    /// <summary>
    /// By <c>fdatasync</c> on Linux, which leaves out the times of the file; elsewhere by what the runtime has: <c>F_FULLFSYNC</c>,
    /// <c>FlushFileBuffers</c>.
    /// </summary>
    /// <exception cref="IOException">The disk refused; what was written since the last sync may be lost.</exception>
    public static void Flush(SafeFileHandle file)
    {
        if (!OperatingSystem.IsLinux())
        {
            RandomAccess.FlushToDisk(file);
            return;
        }

        while (Sync(file) != 0)
        {
            int error = Marshal.GetLastPInvokeError();
            if (error == Interrupted) continue;
            throw new IOException($"fdatasync failed: {new Win32Exception(error).Message}.", error);
        }
    }

    [LibraryImport("libc", EntryPoint = "fdatasync", SetLastError = true)]
    private static partial int Sync(SafeFileHandle file);
}
