using System.Runtime.InteropServices;

namespace Raceway.Scenarios.MainJob;

/// <summary>Tells ordinary files from devices, pipes and sockets, which the runtime's own file types do not.</summary>
/// <remarks>
/// The main job reads its input more than once, and a finished manifest is moved over its final name. Neither is
/// possible, or safe, with a pipe or a device.
/// </remarks>
public static partial class FileKind
{
    private const int CurrentDirectory = -100;
    private const uint TypeOnly = 1;
    private const int StatxSize = 256;
    private const int ModeOffset = 28;
    private const int TypeMask = 0xF000;
    private const int Regular = 0x8000;

    /// <summary>True for a device, pipe or socket; false for ordinary files, folders and paths that do not exist.</summary>
    /// <remarks>Known on Linux only (the layout of <c>statx</c> is the same on all its machines); elsewhere false.</remarks>
    public static bool IsSpecial(string path)
    {
        if (!OperatingSystem.IsLinux() || !File.Exists(path))
        {
            return false;
        }

        Span<byte> status = stackalloc byte[StatxSize];
        try
        {
            return Statx(CurrentDirectory, path, 0, TypeOnly, status) == 0
                && (MemoryMarshal.Read<ushort>(status[ModeOffset..]) & TypeMask) != Regular;
        }
        catch (EntryPointNotFoundException)
        {
            return false; // a C library from before 2018
        }
    }

    [LibraryImport("libc", EntryPoint = "statx", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Statx(int folder, string path, int flags, uint mask, Span<byte> status);
}
