using System.Diagnostics;
using System.Globalization;
using Raceway.Journal.Tests.Support;

namespace Raceway.Journal.Tests.RealFaults;

/// <summary>A process of its own that writes a journal: it prints each sequence that is durable, until it is killed or its disk fails.</summary>
internal sealed class WriterProcess : IDisposable
{
    /// <summary>The first word of the command.</summary>
    public const string Word = "writer";

    private WriterProcess(Process process) => Process = process;

    public Process Process { get; }

    /// <summary>Starts one; <paramref name="before"/> is a program that runs it, such as strace.</summary>
    public static WriterProcess Start(string folder, params string[] before)
    {
        string[] command = [.. before, DotnetHost.Program, typeof(WriterProcess).Assembly.Location, Word, folder];
        var start = new ProcessStartInfo(command[0], command[1..]) { RedirectStandardOutput = true, RedirectStandardError = true };
        return new WriterProcess(Process.Start(start)!);
    }

    /// <summary>The writer: stores numbers from where the journal ends, in batches, and prints what is durable after each.</summary>
    public static int Write(string folder)
    {
        Journal<long> journal;
        try
        {
            journal = Journal<long>.Open(folder, JournalCodec.Unmanaged<long>(), Kit.Small with { SegmentLength = 16_384 });
        }
        catch (JournalException refused)
        {
            Console.WriteLine($"refused {refused.Message}");
            return 3;
        }

        var random = new Random();
        for (long next = journal.Found.Next; ;)
        {
            long[] batch = [.. Enumerable.Range(0, random.Next(1, 20)).Select(n => next + n)];
            try
            {
                journal.Store(batch);
            }
            catch (JournalException failed)
            {
                Console.WriteLine($"failed {journal.DurableSequence} {failed.Message}");
                return 4;
            }

            next += batch.Length;
            Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"durable {journal.DurableSequence}"));
        }
    }

    /// <summary>Waits for the first sequence that it says is durable; -1 if it ends, or is refused, before.</summary>
    public async Task<long> FirstAsync() => SequenceOf(await Process.StandardOutput.ReadLineAsync());

    /// <summary>SIGKILL, and the last sequence that it said was durable; -1 if none.</summary>
    public long Kill()
    {
        Process.Kill();
        return Last();
    }

    /// <summary>Waits for its end, and reads the last sequence that it said was durable.</summary>
    public long Last()
    {
        string output = Process.StandardOutput.ReadToEnd();
        Process.WaitForExit();
        Output = output;
        // A line that was cut off has no end.
        string[] whole = output[..(output.LastIndexOf('\n') + 1)].Split('\n', StringSplitOptions.RemoveEmptyEntries);
        return SequenceOf(whole.LastOrDefault(static line => line.StartsWith("durable ", StringComparison.Ordinal)));
    }

    private static long SequenceOf(string? line) =>
        line?.StartsWith("durable ", StringComparison.Ordinal) == true ? long.Parse(line["durable ".Length..], CultureInfo.InvariantCulture) : -1;

    public string Output { get; private set; } = "";

    public void Dispose()
    {
        if (!Process.HasExited) Process.Kill();
        Process.Dispose();
    }
}
