using System.ComponentModel;
using System.Diagnostics;
using Raceway.Suites.JournalSuite;

namespace Raceway.Lab.Tests.Suites.JournalSuite;

/// <summary>Each contestant of the journal suite has an item on the disk before it acknowledges it: a trace of its system calls shows it.</summary>
public sealed class SyncTraceTests
{
    private const string LongestData = "131072";

    public static TheoryData<string> Logs => [.. JournalCases.Logs(128).Select(static log => log.Name)];

    [Theory]
    [MemberData(nameof(Logs))]
    public void Acknowledge_OfEachLog_IsBehindASyncOfTheItem(string name)
    {
        SyncTrace trace = Trace(name);
        Assert.Equal(TracedLog.Items, trace.Acknowledged);
        Assert.Empty(trace.TooEarly);
    }

    [Theory]
    [InlineData(TracedLog.NeverSyncs)]
    [InlineData(TracedLog.SyncsTooEarly)]
    public void Acknowledge_OfAPlantedLog_IsFoundTooEarly(string name)
    {
        SyncTrace trace = Trace(name);
        Assert.Equal(TracedLog.Items, trace.Acknowledged);
        Assert.Equal(Enumerable.Range(0, TracedLog.Items), trace.TooEarly);
    }

    private static SyncTrace Trace(string name)
    {
        using var folder = new TempFolder();
        (string items, string trace, string marks) = (folder.File("items"), folder.File("trace"), folder.File("marks"));
        Directory.CreateDirectory(items);
        string[] line =
        [
            "-f", "-y", "-xx", "-qq", "-s", LongestData, "-o", trace, "-e", $"trace={SyncTrace.Calls}",
            DotnetHost.Program, typeof(TracedLog).Assembly.Location, TracedLog.Word, name, items, marks,
        ];
        try
        {
            using Process process = Process.Start(new ProcessStartInfo("strace", line) { RedirectStandardError = true })!;
            string errors = process.StandardError.ReadToEnd();
            process.WaitForExit();
            if (errors.Contains("ptrace", StringComparison.Ordinal)) Assert.Skip("not run: this process may not trace another");
            Assert.True(process.ExitCode == 0, errors);
        }
        catch (Win32Exception)
        {
            Assert.Skip("not run: strace is not there");
        }

        return SyncTrace.Read(File.ReadLines(trace), marks, Enumerable.Range(0, TracedLog.Items).Select(static index => TracedLog.Item(index)));
    }
}
