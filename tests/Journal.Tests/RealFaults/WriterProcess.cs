using System.Diagnostics;
using System.Globalization;
using Raceway.Journal.Tests.Support;

namespace Raceway.Journal.Tests.RealFaults;

/// <summary>A process of its own that writes a journal: it prints each sequence that is durable, until it is killed or its disk fails.</summary>
internal sealed class WriterProcess : IDisposable
{
    /// <summary>The first word of the command.</summary>
    public const string Word = "writer";

    /// <summary>The items of its longest batch.</summary>
    public const int LongestBatch = 19;

    private const string Durable = "durable ";
    private const string Failed = "failed ";

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
            long[] batch = [.. Enumerable.Range(0, random.Next(1, LongestBatch + 1)).Select(n => next + n)];
            try
            {
                journal.Store(batch);
            }
            catch (JournalException failed)
            {
                Console.WriteLine($"{Failed}{journal.DurableSequence} {failed.Message}");
                return 4;
            }

            next += batch.Length;
            Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{Durable}{journal.DurableSequence}"));
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
        Output = Process.StandardOutput.ReadToEnd();
        Process.WaitForExit();
        // A line that was cut off has no end.
        string[] whole = Output[..(Output.LastIndexOf('\n') + 1)].Split('\n', StringSplitOptions.RemoveEmptyEntries);
        DurableAtFault = SequenceOf(whole.LastOrDefault(static line => line.StartsWith(Failed, StringComparison.Ordinal)), Failed);
        return SequenceOf(whole.LastOrDefault(static line => line.StartsWith(Durable, StringComparison.Ordinal)));
    }

    // The number behind the word that the line begins with; -1 if it begins otherwise.
    private static long SequenceOf(string? line, string word = Durable) =>
        line?.StartsWith(word, StringComparison.Ordinal) == true ? long.Parse(line.Split(' ')[1], CultureInfo.InvariantCulture) : -1;

    public string Output { get; private set; } = "";

    /// <summary>The last durable sequence, as it said with the fault that ended it; -1 if none did.</summary>
    public long DurableAtFault { get; private set; } = -1;

    public void Dispose()
    {
        if (!Process.HasExited) Process.Kill();
        Process.Dispose();
    }
}
