using System.Globalization;
using System.Runtime.InteropServices;

namespace Raceway.Measuring;

/// <summary>Tells ordinary files from devices, pipes and sockets, which the runtime's own file types do not.</summary>
/// <remarks>
/// The main job reads its input more than once, and a finished manifest is moved over its final name. Neither is
/// possible, or safe, with a pipe or a device.
/// </remarks>
public static partial class FileKind
{
    private const int CurrentDirectory = -100;
    private const uint TypeOnly = 1;
    private const uint InodeOnly = 0x100;
    private const int StatxSize = 256;
    private const int ModeOffset = 28;
    private const int InodeOffset = 32;
    private const int DeviceOffset = 136;
    private const int TypeMask = 0xF000;
    private const int Regular = 0x8000;

    /// <summary>True for a device, pipe or socket; false for ordinary files, folders and paths that do not exist.</summary>
    /// <remarks>Known on Linux only (the layout of <c>statx</c> is the same on all its machines); elsewhere false.</remarks>
    public static bool IsSpecial(string path)
    {
        Span<byte> status = stackalloc byte[StatxSize];
        return File.Exists(path) && IsKnown(path, TypeOnly, status)
            && (MemoryMarshal.Read<ushort>(status[ModeOffset..]) & TypeMask) != Regular;
    }

    /// <summary>Refuses what is read from its beginning to its end, and is no ordinary file.</summary>
    /// <exception cref="IOException">It is a device, pipe or socket: reading it could wait for ever.</exception>
    public static void RefuseSpecial(string path)
    {
        if (IsSpecial(path)) throw new IOException("it is a device, pipe or socket; save its content to a file first.");
    }

    /// <summary>
    /// What a path leads to: the same for all paths of one file, through links of both kinds. A file that does not exist yet is
    /// known by the folder that it would be in.
    /// </summary>
    /// <remarks>Hard links are followed on Linux only.</remarks>
    public static string IdentityOf(string path)
    {
        Span<byte> status = stackalloc byte[StatxSize];
        if (IsKnown(path, InodeOnly, status))
        {
            return string.Create(
                CultureInfo.InvariantCulture,
                $"{MemoryMarshal.Read<long>(status[DeviceOffset..]):x}:{MemoryMarshal.Read<long>(status[InodeOffset..])}");
        }

        string full = Canonical(Path.GetFullPath(path));
        return OperatingSystem.IsLinux() ? full : full.ToUpperInvariant();
    }

    // Every link on the way is resolved; one that goes round is left as it is.
    private static string Canonical(string full)
    {
        const int mostLinks = 40;
        string[] names = Names(full);
        string known = Path.GetPathRoot(full)!;
        int links = 0;
        for (int i = 0; i < names.Length; i++)
        {
            string next = Path.Combine(known, names[i]);
            if (links == mostLinks || LinkOf(next) is not { } target)
            {
                known = next;
                continue;
            }

            links++;
            string led = Path.GetFullPath(Path.Combine(known, target));
            names = [.. Names(led), .. names.AsSpan(i + 1)];
            known = Path.GetPathRoot(led)!;
            i = -1;
        }

        return known;

        static string[] Names(string path) => path[Path.GetPathRoot(path)!.Length..].Split(
            [Path.DirectorySeparatorChar, Path.AltDirectorySeparatorChar], StringSplitOptions.RemoveEmptyEntries);
    }

    private static string? LinkOf(string path)
    {
        try
        {
            return new FileInfo(path).LinkTarget;
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            return null; // what cannot be looked at cannot be written to either
        }
    }

    // The kernel writes at most the 256 bytes of its structure.
    private static bool IsKnown(string path, uint mask, Span<byte> status)
    {
        try
        {
            return OperatingSystem.IsLinux() && Statx(CurrentDirectory, path, 0, mask, status) == 0;
        }
        catch (EntryPointNotFoundException)
        {
            return false; // a C library from before 2018
        }
    }

    [LibraryImport("libc", EntryPoint = "statx", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Statx(int folder, string path, int flags, uint mask, Span<byte> status);
}
