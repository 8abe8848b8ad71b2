using System.Diagnostics;
using System.Text;

namespace Raceway.Verify;

/// <summary>How a process has ended, and what it wrote.</summary>
/// <param name="ExitCode">As it returned it; −1 where it was killed.</param>
/// <param name="Output">Both streams.</param>
/// <param name="Hung">Whether the time limit ended it.</param>
/// <param name="Seconds">How long it ran.</param>
internal sealed record Execution(int ExitCode, string Output, bool Hung, double Seconds)
{
    private static readonly TimeSpan s_slice = TimeSpan.FromMilliseconds(100);

    /// <summary>Runs a program to its end, or kills it, with all that it has started.</summary>
    /// <param name="program">Its name.</param>
    /// <param name="arguments">Its arguments.</param>
    /// <param name="folder">Where it runs.</param>
    /// <param name="limit">Its time.</param>
    /// <param name="environment">Variables to set, or to take away.</param>
    /// <param name="cancellation">Ends it before.</param>
    public static Execution Of(
        string program,
        IEnumerable<string> arguments,
        string folder,
        TimeSpan limit,
        IReadOnlyDictionary<string, string?> environment,
        CancellationToken cancellation)
    {
        var start = new ProcessStartInfo(program, arguments)
        {
            WorkingDirectory = folder,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        foreach ((string name, string? value) in environment) start.Environment[name] = value;
        var output = new StringBuilder();
        void Take(object sender, DataReceivedEventArgs line)
        {
            lock (output) output.AppendLine(line.Data);
        }

        using var process = new Process { StartInfo = start };
        process.OutputDataReceived += Take;
        process.ErrorDataReceived += Take;
        long from = Stopwatch.GetTimestamp();
        process.Start();
        process.BeginOutputReadLine();
        process.BeginErrorReadLine();

        // Counted in slices, not by the clock: while the machine has stopped us all, nobody hangs.
        bool ended = false;
        for (TimeSpan left = limit; !ended && left > TimeSpan.Zero && !cancellation.IsCancellationRequested; left -= s_slice)
            ended = process.WaitForExit(s_slice);
        if (!ended) process.Kill(entireProcessTree: true);
        cancellation.ThrowIfCancellationRequested();
        // Also waits until all that it wrote has been read.
        process.WaitForExit();
        double seconds = Stopwatch.GetElapsedTime(from).TotalSeconds;
        lock (output) return new Execution(ended ? process.ExitCode : -1, output.ToString(), !ended, seconds);
    }
}
