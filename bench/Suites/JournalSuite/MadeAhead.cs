namespace Raceway.Suites.JournalSuite;

/// <summary>A journal makes its next segment ahead, on another thread. The contestant that is measured next must have the disk alone.</summary>
internal static class MadeAhead
{
    private const int Look = 1; // ms
    private const int MostLooks = 10_000;

    /// <summary>Waits until the next segment is on the disk.</summary>
    /// <param name="folder">Of the journal.</param>
    /// <param name="length">Of a segment.</param>
    public static void Wait(string folder, long length)
    {
        for (int i = 0; i < MostLooks; i++, Thread.Sleep(Look))
        {
            string? made = Directory.EnumerateFiles(folder, "*.unfinished").FirstOrDefault();
            if (made is null || new FileInfo(made).Length < length) continue;
            using FileStream file = File.Open(made, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite | FileShare.Delete);
            file.Flush(flushToDisk: true);
            return;
        }
    }
}
