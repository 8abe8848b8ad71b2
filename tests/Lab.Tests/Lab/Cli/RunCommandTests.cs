using System.Security.Cryptography;
using System.Text.Json;
using Raceway.Lab.Reporting;
using Raceway.Measuring;

namespace Raceway.Lab.Tests.Lab.Cli;

public sealed class RunCommandTests : IDisposable
{
    private readonly TempFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Run_OddFiles_PrintsResultAndTableAndWritesEveryOutput(bool noHash)
    {
        string odd = _folder.WriteOddFiles();
        string manifest = _folder.File("sums"), json = _folder.File("run.json"), html = _folder.File("run.html");
        string[] args = ["run", "--quick", "--input", odd, "--manifest", manifest, "--json", json, "--html", html];

        CommandLine run = RunInTime(json, noHash ? [.. args, "--no-hash"] : args);

        Assert.Equal(0, run.ExitCode);
        Assert.Contains("7 files", run.Out, StringComparison.Ordinal);
        Assert.Contains("(verified against", run.Out, StringComparison.Ordinal);
        Assert.Contains("channel-batched", run.Out, StringComparison.Ordinal);
        Assert.DoesNotContain("WRONG", run.Out, StringComparison.Ordinal);
        Assert.Equal(ExpectedManifest(odd), File.ReadAllText(manifest));
        ResultFile result = ResultFile.Load(json);
        Assert.Equal("main-job", result.Suite);
        Assert.All(result.Rows, row => Assert.True(row.Verified, $"{row}"));
        Assert.All(
            ["throughput", "bandwidth", "mean-batch", "cpu", "allocated"],
            metric => Assert.Single(result.Rows, row => row.Contestant == "channel-batched" && row.Metric == metric));
        Assert.All(
            ["latency-p50", "latency-p99"],
            metric => Assert.Equal(
                ["main-job at a common rate", "main-job at half speed"],
                result.Rows.Where(row => row.Contestant == "channel-batched" && row.Metric == metric).Select(static row => row.Case)));
        Assert.Contains("<table>", File.ReadAllText(html), StringComparison.Ordinal);
        Assert.Equal(4, Directory.GetFileSystemEntries(_folder.Path).Length);
    }

    // A machine that stalls has no time for some rounds, and the rows say so: then it runs once more, twice at most.
    private static CommandLine RunInTime(string json, string[] args)
    {
        CommandLine run = CommandLine.Run(args);
        for (int more = 2; more > 0 && run.ExitCode == 0 && ResultFile.Load(json).Rows.Any(IsOutOfTime); more--) run = CommandLine.Run(args);
        return run;
    }

    private static bool IsOutOfTime(ResultRow row) =>
        row is { Rounds: 0, Note: { } note }
        && (note.Contains("time was up", StringComparison.Ordinal) || note.Contains("a run took more than", StringComparison.Ordinal));

    [Fact]
    public void Run_Redirected_WritesNoEscapeCodes()
    {
        CommandLine run = CommandLine.Run("run", "--input", _folder.Write("file", "a\nb\n"));

        Assert.Equal(0, run.ExitCode);
        Assert.DoesNotContain('\u001b', run.Out + run.Error);
        Assert.DoesNotContain('\r', run.Error.ReplaceLineEndings("\n"));
        Assert.Contains("main-job: round 1 of 1", run.Error, StringComparison.Ordinal);
    }

    [Fact]
    public void Run_SomeContestants_MeasuresThoseAndChecksTheirAims()
    {
        string aims = _folder.Write(
            "aims.json",
            """
            { "main-job --no-hash": [
              { "number": "1", "text": "x", "case": "main-job", "ours": "channel", "peers": ["channel", "channel-batched"], "bound": 0 },
              { "number": "2", "text": "x", "case": "main-job at a common rate", "ours": "channel", "peers": ["channel", "channel-batched"], "metric": "latency-p99", "bound": 0 }
            ] }
            """);
        string json = _folder.File("run.json");

        CommandLine run = CommandLine.Run(
            "run", "--no-hash", "--quick", "--input", _folder.Write("file", "a\nb\n"), "--contestant", "channel*", "--check", aims, "--json", json);

        // No latency is 0 or less.
        Assert.Equal(1, run.ExitCode);
        ResultRow[] rows = [.. ResultFile.Load(json).Rows];
        Assert.Equal(
            ["channel", "channel-batched"], rows.Where(static row => row.Metric == "throughput").Select(static row => row.Contestant));
        // A contestant is no peer of its own.
        Assert.All(
            rows.Where(AimsReport.IsAim), static row => Assert.StartsWith("channel over channel-batched", row.Contestant, StringComparison.Ordinal));
        Assert.Equal(
            [AimVerdict.Holds, AimVerdict.DoesNotHold],
            rows.Where(AimsReport.IsAim).Select(static row => AimNote.Parse(row.Note)!).Where(static note => note.Line is null).Select(static note => note.Verdict));
    }

    [Theory]
    [InlineData("there is no 'chanel'", "--contestant", "channel", "chanel")]
    [InlineData("--minutes takes a number from 1 to 60", "--minutes", "0.5")]
    [InlineData("leave one of them out", "--minutes", "2", "--quick")]
    public void Run_WrongChoice_ExitsWith2AndSaysWhy(string why, params string[] options)
    {
        CommandLine run = CommandLine.Run(["run", .. options]);

        Assert.Equal(2, run.ExitCode);
        Assert.Contains(why, run.Error, StringComparison.Ordinal);
    }

    [Fact]
    public void Run_OnlyEmptyFiles_HasNothingToMeasureButAManifest()
    {
        string empty = _folder.Write("empty", "");
        string manifest = _folder.File("sums");

        CommandLine run = CommandLine.Run("run", "--input", empty, "--manifest", manifest);

        Assert.Equal(0, run.ExitCode);
        Assert.Contains("0 lines", run.Out, StringComparison.Ordinal);
        Assert.Contains("nothing to measure", run.Out, StringComparison.Ordinal);
        Assert.Equal($"{Convert.ToHexStringLower(SHA512.HashData([]))}  {empty}\n", File.ReadAllText(manifest));
    }

    [Fact]
    public void Run_MissingInput_ExitsWith2AndNamesIt()
    {
        CommandLine run = CommandLine.Run("run", "--input", _folder.File("gone"));

        Assert.Equal(2, run.ExitCode);
        Assert.Contains($"no such file or folder: '{_folder.File("gone")}'", run.Error, StringComparison.Ordinal);
    }

    [Fact]
    public void Run_EmptyFolder_ExitsWith2()
    {
        CommandLine run = CommandLine.Run("run", "--input", _folder.Path);

        Assert.Equal(2, run.ExitCode);
        Assert.Contains("holds no files", run.Error, StringComparison.Ordinal);
    }

    [Fact]
    public void Run_UnreadableWhileRead_ExitsWith2AndNamesIt()
    {
        const string unreadable = "/proc/self/mem"; // opens, but its first page cannot be read by anyone
        if (!File.Exists(unreadable))
        {
            return;
        }

        string manifest = _folder.File("sums");
        CommandLine run = CommandLine.Run("run", "--input", _folder.Write("a", "x\n"), unreadable, "--manifest", manifest);

        Assert.Equal(2, run.ExitCode);
        Assert.Contains(unreadable, run.Error, StringComparison.Ordinal);
        Assert.Equal([_folder.File("a")], Directory.GetFiles(_folder.Path));
    }

    [Theory]
    [InlineData("--manifest")]
    [InlineData("--json")]
    [InlineData("--html")]
    public void Run_OutputInMissingFolder_ExitsWith2BeforeItReads(string option)
    {
        string input = _folder.Write("file", "a\n");

        CommandLine run = CommandLine.Run("run", "--input", input, option, _folder.File("none/out"));

        Assert.Equal(2, run.ExitCode);
        Assert.Contains("its folder does not exist", run.Error, StringComparison.Ordinal);
        Assert.Empty(run.Out);
    }

    [Fact]
    public void Run_OutputIsAFolder_ExitsWith2()
    {
        CommandLine run = CommandLine.Run("run", "--input", _folder.Write("file", "a\n"), "--manifest", _folder.Path);

        Assert.Equal(2, run.ExitCode);
        Assert.Contains("is a folder", run.Error, StringComparison.Ordinal);
    }

    [Fact]
    public void Run_DiskFull_ExitsWith1()
    {
        if (!File.Exists("/dev/full"))
        {
            return; // the device that is always full
        }

        CommandLine run = CommandLine.Run("run", "--input", _folder.Write("file", "a\n"), "--manifest", "/dev/full");

        Assert.Equal(1, run.ExitCode);
        Assert.Contains("cannot write '/dev/full'", run.Error, StringComparison.Ordinal);
        Assert.True(File.Exists("/dev/full"));
    }

    [Fact]
    public void Run_ManifestInTheInputFolder_IsNotPartOfTheInput()
    {
        _folder.Write("file", "a\n");
        string manifest = _folder.Write("sums", "from an earlier run");

        CommandLine run = CommandLine.Run("run", "--input", _folder.Path, "--manifest", manifest);

        Assert.Equal(0, run.ExitCode);
        Assert.Contains("left out", run.Out, StringComparison.Ordinal);
        Assert.Single(File.ReadAllLines(manifest));
    }

    [Fact]
    public void Run_InputIsAnOutput_ExitsWith2AndLeavesItAlone()
    {
        string file = _folder.Write("file", "precious\n");

        CommandLine run = CommandLine.Run("run", "--input", file, "--manifest", file);

        Assert.Equal(2, run.ExitCode);
        Assert.Equal("precious\n", File.ReadAllText(file));
    }

    [Fact]
    public void Run_TwoOutputsWithOneName_ExitsWith2()
    {
        string file = _folder.Write("file", "a\n"), both = _folder.File("both");

        Assert.Equal(2, CommandLine.Run("run", "--input", file, "--manifest", both, "--json", both).ExitCode);
    }

    [Fact]
    public void Run_InterruptedBeforeTheEnd_ExitsWith130AndLeavesNoManifest()
    {
        string odd = _folder.WriteOddFiles();
        using var error = new StringWriter();

        CommandLine run = CommandLine.Run(
            ["run", "--input", odd, "--manifest", _folder.File("sums")], error, new CancellationToken(canceled: true));

        Assert.Equal(130, run.ExitCode);
        Assert.Contains("interrupted", run.Error, StringComparison.Ordinal);
        Assert.Equal([odd], Directory.GetFileSystemEntries(_folder.Path));
    }

    [Fact]
    public void Run_InterruptedWhileMeasuring_KeepsWhatThereIs()
    {
        string odd = _folder.WriteOddFiles();
        string manifest = _folder.File("sums"), json = _folder.File("run.json");
        using var stop = new CancellationTokenSource();
        using var error = new StopAt("half speed", stop);

        CommandLine run = CommandLine.Run(
            ["run", "--input", odd, "--manifest", manifest, "--json", json], error, stop.Token);

        Assert.Equal(130, run.ExitCode);
        Assert.Contains("Interrupted", run.Out, StringComparison.Ordinal);
        Assert.Equal(ExpectedManifest(odd), File.ReadAllText(manifest));
        using JsonDocument written = JsonDocument.Parse(File.ReadAllText(json));
        Assert.Contains(
            written.RootElement.GetProperty("rows").EnumerateArray(),
            row => row.GetProperty("metric").GetString() == "throughput" && row.TryGetProperty("median", out _));
    }

    private static string ExpectedManifest(string folder) => string.Concat(
        Directory.GetFiles(folder, "*", SearchOption.AllDirectories).Order(StringComparer.Ordinal)
            .Select(file => $"{Convert.ToHexStringLower(SHA512.HashData(File.ReadAllBytes(file)))}  {file}\n"));

    /// <summary>Interrupts the tool when it writes a certain word, as a user would who reads along.</summary>
    private sealed class StopAt(string word, CancellationTokenSource stop) : StringWriter
    {
        public override void WriteLine(string? value)
        {
            base.WriteLine(value);
            if (value?.Contains(word, StringComparison.Ordinal) == true)
            {
                stop.Cancel();
            }
        }
    }
}
