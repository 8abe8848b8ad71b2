using System.Diagnostics;
using Raceway.Interop.Journal.Files;
using Raceway.Interop.Journal.Format;

namespace Raceway.Interop.Journal;

/// <summary>How long a write of some length and its sync take in a folder.</summary>
/// <param name="Length">Bytes.</param>
/// <param name="Count">How often it was done.</param>
/// <param name="Median">Half took no longer.</param>
/// <param name="Worst99">99 of 100 took no longer.</param>
/// <param name="Worst">The longest.</param>
public sealed record SyncTime(int Length, int Count, TimeSpan Median, TimeSpan Worst99, TimeSpan Worst);

/// <summary>Measures a disk by what a journal does: it writes into a file that is filled with zeros already, and syncs.</summary>
/// <example>
/// <code>
/// foreach (SyncTime time in DiskProbe.Measure("data", [512, 4096], TimeSpan.FromSeconds(2)))
///     Console.WriteLine($"{time.Length} bytes: {time.Median.TotalMicroseconds:F0} µs");
/// </code>
/// </example>
public static class DiskProbe
{
    private const int FileLength = 16 << 20;

    /// <summary>Measures each length for a while, in a file that is deleted afterwards.</summary>
    /// <param name="folder">On the disk in question. It is there.</param>
    /// <param name="lengths">Bytes per write, 1 to 16 MiB.</param>
    /// <param name="time">For each length.</param>
    /// <param name="cancellation">Ends it.</param>
    /// <exception cref="JournalException">The file system refuses.</exception>
    public static IReadOnlyList<SyncTime> Measure(string folder, IReadOnlyList<int> lengths, TimeSpan time, CancellationToken cancellation = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(folder);
        ArgumentNullException.ThrowIfNull(lengths);
        foreach (int length in lengths) if (length is < 1 or > FileLength) throw JournalErrors.Range(nameof(lengths), length, 1, FileLength);
        var files = new SystemFiles(Path.GetFullPath(folder));
        string name = $"probe-{Environment.ProcessId}{JournalFormat.Unfinished}";
        try
        {
            using IJournalFile file = files.Create(name);
            try
            {
                file.WriteAll(new byte[FileLength], 0);
                file.Sync();
                return [.. lengths.Select(length => Measure(file, length, time, cancellation))];
            }
            finally
            {
                files.Delete(name);
            }
        }
        catch (Exception cause) when (cause is not JournalException and (IOException or UnauthorizedAccessException))
        {
            throw JournalErrors.Unusable(files.Folder, cause);
        }
    }

    private static SyncTime Measure(IJournalFile file, int length, TimeSpan time, CancellationToken cancellation)
    {
        byte[] bytes = new byte[length];
        List<TimeSpan> times = [];
        long begun = Stopwatch.GetTimestamp();
        long at = 0;
        do
        {
            cancellation.ThrowIfCancellationRequested();
            if (at + length > FileLength) at = 0;
            Random.Shared.NextBytes(bytes.AsSpan(0, Math.Min(length, 64)));
            long since = Stopwatch.GetTimestamp();
            file.WriteAll(bytes, at);
            file.Sync();
            times.Add(Stopwatch.GetElapsedTime(since));
            at += length;
        }
        while (Stopwatch.GetElapsedTime(begun) < time);
        times.Sort();
        return new SyncTime(length, times.Count, times[times.Count / 2], times[times.Count * 99 / 100], times[^1]);
    }
}
