using System.Globalization;

namespace Raceway.Suites.JournalSuite;

/// <summary>Bytes on their way to a disk, as Linux counts them; null where it does not.</summary>
/// <param name="Calls">What this process has handed to the system by calls that write.</param>
/// <param name="Device">What the device of a folder has written, whichever process it was for: pages and the file system's own log included.</param>
/// <remarks>
/// <c>write_bytes</c> of <c>/proc/self/io</c> is not used: it counts whole folios where a file system has large ones, 2 MB for a
/// write of 128 bytes.
/// </remarks>
internal readonly record struct DiskBytes(long? Calls, long? Device)
{
    private const string CallsName = "wchar: ";
    private const int SectorsWritten = 6;
    private const int Sector = 512;

    /// <summary>What they are now.</summary>
    /// <param name="folder">On the device.</param>
    public static DiskBytes Read(string folder)
    {
        try
        {
            string? calls = File.ReadLines("/proc/self/io").FirstOrDefault(static line => line.StartsWith(CallsName, StringComparison.Ordinal));
            string device = $"/sys/dev/block/{DeviceOf(folder)}/stat";
            string[] counts = File.Exists(device) ? File.ReadAllText(device).Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries) : [];
            return new DiskBytes(
                calls is null ? null : long.Parse(calls.AsSpan(CallsName.Length), CultureInfo.InvariantCulture),
                counts.Length <= SectorsWritten ? null : long.Parse(counts[SectorsWritten], CultureInfo.InvariantCulture) * Sector);
        }
        catch (Exception absent) when (absent is IOException or UnauthorizedAccessException)
        {
            return default;
        }
    }

    // Of the mount that is nearest to the folder: the third word of its line is the device, the fifth is where it is mounted.
    private static string? DeviceOf(string folder) =>
        File.ReadLines("/proc/self/mountinfo").Select(static line => line.Split(' '))
            .Where(words => words.Length > 4 && (words[4] == "/" || folder == words[4] || folder.StartsWith(words[4] + "/", StringComparison.Ordinal)))
            .MaxBy(static words => words[4].Length)?[2];
}
