using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Raceway.Interop.Journal.Files;

/// <summary>The calls of the system that the runtime does not have.</summary>
internal static partial class SystemCalls
{
    private const int Interrupted = 4;
    private const int LockAlone = 2;
    private const int DoNotWait = 4;
    private const int WouldBlockOnLinux = 11;
    private const int WouldBlockElsewhere = 35;
    private const int NoSuchCall = 38;
    private const int NotSupported = 95;
    private const int KeepLength = 1;
    private const int SharingViolation = unchecked((int)0x80070020);

    /// <summary>
    /// By <c>fdatasync</c> on Linux, which leaves out the times of the file; elsewhere by what the runtime has: <c>F_FULLFSYNC</c>,
    /// <c>FlushFileBuffers</c>.
    /// </summary>
    /// <exception cref="IOException">The disk refused.</exception>
    public static void SyncData(SafeFileHandle file)
    {
        if (!OperatingSystem.IsLinux())
        {
            RandomAccess.FlushToDisk(file);
            return;
        }

        while (SyncDataOf(file) != 0) ThrowUnlessInterrupted("fdatasync");
    }

    /// <summary>By <c>fallocate</c>: blocks that read as zeros until they are written. False: not here.</summary>
    /// <remarks>Elsewhere than on Linux the calls differ in what they promise. A process of 32 bits has another call.</remarks>
    /// <exception cref="IOException">The disk has no such room.</exception>
    public static bool TryReserve(SafeFileHandle file, long length)
    {
        if (!OperatingSystem.IsLinux() || !Environment.Is64BitProcess) return false;
        while (Reserve(file, KeepLength, 0, length) != 0)
        {
            if (Marshal.GetLastPInvokeError() is NoSuchCall or NotSupported) return false;
            ThrowUnlessInterrupted("fallocate");
        }

        return true;
    }

    /// <summary>By <c>fsync</c> of the folder. Windows has none: NTFS logs names itself.</summary>
    /// <exception cref="IOException">The disk refused.</exception>
    public static void SyncFolder(string folder)
    {
        if (OperatingSystem.IsWindows()) return;
        using SafeFileHandle handle = OpenPath(folder, 0, 0);
        if (handle.IsInvalid) throw Failed("open", Marshal.GetLastPInvokeError());
        while (SyncOf(handle) != 0) ThrowUnlessInterrupted("fsync");
    }

    /// <summary>Whether a file cannot be opened because another process, or this one, holds it alone.</summary>
    public static bool IsHeld(IOException error) => error.HResult is SharingViolation or WouldBlockOnLinux or WouldBlockElsewhere;

    /// <summary>By <c>flock</c>: the kernel gives the lock back when the process ends, however it ends.</summary>
    public static bool TryLock(SafeFileHandle file)
    {
        if (Lock(file, LockAlone | DoNotWait) == 0) return true;
        int error = Marshal.GetLastPInvokeError();
        return error is WouldBlockOnLinux or WouldBlockElsewhere ? false : throw Failed("flock", error);
    }

    /// <summary>An interrupted call has not failed: it is the only error after which it may be made again.</summary>
    public static void ThrowUnlessInterrupted(string call)
    {
        int error = Marshal.GetLastPInvokeError();
        if (error != Interrupted) throw Failed(call, error);
    }

    private static IOException Failed(string call, int error) => new($"{call} failed: {Marshal.GetPInvokeErrorMessage(error)}.", error);

    [LibraryImport("libc", EntryPoint = "fdatasync", SetLastError = true)]
    private static partial int SyncDataOf(SafeFileHandle file);

    [LibraryImport("libc", EntryPoint = "fallocate", SetLastError = true)]
    private static partial int Reserve(SafeFileHandle file, int mode, long from, long length);

    [LibraryImport("libc", EntryPoint = "fsync", SetLastError = true)]
    private static partial int SyncOf(SafeFileHandle file);

    [LibraryImport("libc", EntryPoint = "flock", SetLastError = true)]
    private static partial int Lock(SafeFileHandle file, int operation);

    [LibraryImport("libc", EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial SafeFileHandle OpenPath(string path, int flags, int mode);
}
