using System.Diagnostics;

namespace Raceway.Interop.Tests.Samples;

/// <summary>The account service of samples/Accounts in processes of its own: left alone, and killed at random moments.</summary>
/// <param name="usesBroker">Whether commands come by the broker that the environment names; else they come from a file.</param>
internal sealed class AccountsRun(bool usesBroker) : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("raceway-accounts-").FullName;
    private readonly Random _random = new();
    private int _folders;

    /// <summary>A run without interruption.</summary>
    public string Whole { get; private set; } = "";

    /// <summary>What it said at its end: the number of replies, the state, and that of the replica.</summary>
    public string WholeResult { get; private set; } = "";

    /// <summary>How long it took.</summary>
    public TimeSpan Took { get; private set; }

    /// <summary>How often a service was done before it was to be killed.</summary>
    public int Done { get; private set; }

    /// <summary>How many kills met a service that had given replies since its start, and not all.</summary>
    public int Midway { get; private set; }

    public static byte[] RepliesOf(string folder)
    {
        string file = Path.Combine(folder, "replies.txt");
        return File.Exists(file) ? File.ReadAllBytes(file) : [];
    }

    /// <summary>A folder with nothing done yet.</summary>
    public async Task<string> PrepareAsync()
    {
        string folder = Path.Combine(_folder, $"{Path.GetFileName(_folder)}-{_folders++}");
        Directory.CreateDirectory(folder);
        if (usesBroker) await EndAsync(Start("feed", folder));
        return folder;
    }

    public async Task RunWholeAsync()
    {
        Whole = await PrepareAsync();
        long begun = Stopwatch.GetTimestamp();
        WholeResult = await EndAsync(Start("run", Whole));
        Took = Stopwatch.GetElapsedTime(begun);
    }

    /// <summary>Kills services at moments of a whole run's time, looks at the replies each time, and lets the last one end.</summary>
    public async Task KillAsync(int kills)
    {
        byte[] expected = RepliesOf(Whole);
        string? folder = null;
        for (int killed = 0, replies = 0; killed < kills;)
        {
            if (folder is null) (folder, replies) = (await PrepareAsync(), 0);
            using Process service = Start("run", folder);
            // Every other time it has recovered before the clock starts, so that kills meet its work as well as its start.
            if (killed % 2 == 1) await service.StandardOutput.ReadLineAsync().OrHang();
            if (service.WaitForExit(_random.NextDouble() * Took))
            {
                await CheckAsync(folder, await EndAsync(service));
                folder = null;
                Done++;
                // The machine is less busy than it was in the whole run.
                Took *= 0.8;
                continue;
            }

            service.Kill();
            await service.WaitForExitAsync().OrHang();
            killed++;

            // No reply that was there is gone, and what is there is how replies begin.
            byte[] written = RepliesOf(folder);
            Assert.InRange(written.Length, replies, expected.Length);
            Assert.True(written.AsSpan().SequenceEqual(expected.AsSpan(0, written.Length)), $"replies of {folder} after {killed} kills");
            // The next start cuts what is there of a line.
            if (written.Length > replies && written.Length < expected.Length) Midway++;
            replies = written.Length - (written.Length % (Array.IndexOf(expected, (byte)'\n') + 1));
        }

        await CheckAsync(folder!, await EndAsync(Start("run", folder!)));
    }

    /// <summary>Runs a command to its end, which must be a good one; returns its last line.</summary>
    public static async Task<string> EndAsync(Process process, int exitCode = 0)
    {
        Task<string> output = process.StandardOutput.ReadToEndAsync();
        Task<string> errors = process.StandardError.ReadToEndAsync();
        await process.WaitForExitAsync().OrHang();
        Assert.True(process.ExitCode == exitCode, $"{process.ExitCode}: {await output}{await errors}");
        return $"{await output}{await errors}".TrimEnd().Split('\n')[^1];
    }

    public Process Start(string command, string folder)
    {
        ProcessStartInfo start = SampleProgram.Of("Accounts", command, folder);
        if (!usesBroker) start.Environment.Remove("RACEWAY_RABBIT_NODES");
        return Process.Start(start)!;
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    private async Task CheckAsync(string folder, string result)
    {
        Assert.Equal(WholeResult, result);
        Assert.True(RepliesOf(folder).AsSpan().SequenceEqual(RepliesOf(Whole)), $"replies of {folder}");
        Assert.StartsWith("right: ", await EndAsync(Start("verify", folder)), StringComparison.Ordinal);
    }
}
