using System.Text;

namespace Raceway.Lab.Tests.Lab.Cli;

public sealed class ReportCommandTests : IDisposable
{
    private const string Machine = """
        "machine": {
            "cpu": "Test <CPU>", "logicalCores": 8, "usableCores": 4, "lineSize": 64, "os": "Test OS", "architecture": "X64",
            "runtime": ".NET 10", "vectorBits": 256, "membarrier": true, "membarrierAloneNs": 400, "membarrierBusyNs": 12000,
            "pauseNs": 27.2, "spinWaitNs": 55.7, "clockTickNs": 1, "clockReadNs": 38.9, "lineRoundTripNs": 95.3,
            "tiering": "default"
          }
        """;

    private const string Ring = $$"""
        {
          "tool": "raceway", "version": "0.1.0", "commit": "c0ffee", "measured": "2026-01-02T03:04:05+00:00",
          {{Machine}},
          "suite": "ring",
          "options": {
            "quick": "false", "command": "raceway compare --suite ring --case 1p-1c round-trip", "peer-packages": "true"
          },
          "rows": [
            { "case": "1p-1c", "contestant": "raceway/default", "metric": "throughput", "unit": "events/s", "median": 4E8,
              "low": 3.5E8, "high": 4.5E8, "rounds": 9, "verified": true, "note": "line 300 ns, far" },
            { "case": "1p-1c", "contestant": "raceway/default", "metric": "allocated", "unit": "B/event", "median": 0,
              "low": 0, "high": 0, "rounds": 9, "verified": true, "note": "line 300 ns, far" },
            { "case": "1p-1c", "contestant": "raceway/default", "metric": "mean-batch", "unit": "events", "median": 512,
              "low": 500, "high": 520, "rounds": 9, "verified": true, "note": "line 300 ns, far" },
            { "case": "1p-1c", "contestant": "peer|a", "metric": "throughput", "unit": "events/s", "median": 1E8,
              "low": 9E7, "high": 1.1E8, "rounds": 9, "verified": false, "oversubscribed": true },
            { "case": "1p-1c", "contestant": "peer/b", "metric": "throughput", "unit": "events/s", "note": "not built in" },
            { "case": "round-trip", "contestant": "raw", "metric": "latency-p50", "unit": "ns", "median": 180,
              "low": 170, "high": 200, "rounds": 9, "verified": true },
            { "case": "round-trip", "contestant": "raw", "metric": "latency-p99.9", "unit": "ns", "median": 12345,
              "low": 12000, "high": 13000, "rounds": 9, "verified": true },
            { "case": "1p-1c", "contestant": "raceway/default over peer/*", "metric": "ratio", "unit": "x", "median": 4,
              "low": 3.5, "high": 4.5, "rounds": 5, "verified": true,
              "note": "aim 1a on near lines: at least 4, does not hold; one to one" },
            { "case": "1p-1c", "contestant": "raceway/x over peer/b", "metric": "ratio", "unit": "x",
              "note": "aim 1b: at least 2, not measured (peer/b: not built in); objects" }
          ]
        }
        """;

    private const string RingPage = """
        # Benchmarks

        ## Cases of ring.json

        ### 1p-1c

        one producer, one consumer that sums

        | contestant | M events/s | 95 % | over raceway/default | allocated (B/event) | mean-batch (events) | verified | notes |
        | --- | ---: | ---: | ---: | ---: | ---: | --- | --- |
        | raceway/default | 400 | 350–450 | 1.00 | 0 | 512 | yes | line 300 ns, far |
        | peer\|a | 100 | 90.0–110 | 0.25 | - | - | NO | oversubscribed |
        | peer/b | - | - | - | - | - | - | not built in |

        ### round-trip

        one message to another thread and back over two queues

        | contestant | latency-p50 (ns) | 95 % | latency-p99.9 (ns) | verified | notes |
        | --- | ---: | ---: | ---: | --- | --- |
        | raw | 180 | 170–200 | 12,345 | yes |  |

        ## Aims

        aims: our figure over the peer's, round by round; an aim holds where the whole interval meets its bound

        | no. | aim | case | figure of | figure | 95 % | rounds | bound | verdict |
        | --- | --- | --- | --- | ---: | ---: | ---: | --- | --- |
        | 1a | one to one, on near lines | 1p-1c | raceway/default over peer/\* | 4.00 | 3.50–4.50 | 5 | at least 4 | does not hold |
        | 1b | objects | 1p-1c | raceway/x over peer/b | - | - | - | at least 2 | not measured: peer/b: not built in |

        Where there are fewer than 6 rounds, the interval is the smallest and the largest of them, which is less than 95 %.

        **Aims that hold: 0; that do not: 0; not measured: 1.**

        ## How it was measured

        Figures are medians of interleaved rounds in one process, with the 95 % interval of the median. Count, sum and order are checked with each round. A ratio in the answer is the median of those of rounds that ran next to each other; a column of a table that is over one contestant divides medians. Of fewer than six rounds the interval is their least and their largest figure.

        Made by raceway report from ring.json; not written by hand. Notes tell the round trip of a bare cache line around the rounds: near as between two threads of one core, far as between two cores, unknown where only fast lines were seen.

        ring.json: ring, raceway 0.1.0, commit c0ffee, measured 2026-01-02 03:04:05 UTC

        ```sh
        dotnet run -c Release -p:PeerPackages=true --project bench/Lab -- compare --suite ring --case 1p-1c round-trip
        ```

        ## Machine

        What the figures of this machine stand on

        | machine |  |
        | --- | --- |
        | processor | Test \<CPU\> |
        | cores | 4 usable of 8 |
        | affinity | not told by the system |
        | quota | none |
        | cache line | 64 B |
        | line round trip | 95.3 ns |
        | pause | 27.2 ns |
        | SpinWait(1) | 55.7 ns |
        | clock | ticks of 1.00 ns, 38.9 ns a reading |
        | membarrier | expedited |
        | process-wide barrier | 400 ns alone, 12.0 µs with another core running |
        | vectors | 256 bits |
        | system | Test OS, X64 |
        | runtime | .NET 10 |
        | garbage collector | workstation, not concurrent |
        | compilation | default |

        """;

    private readonly TempFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void Report_ResultFile_BecomesThisPage()
    {
        string page = _folder.File("page.md");

        CommandLine report = CommandLine.Run("report", _folder.Write("ring.json", Ring), "--markdown", page);

        Assert.Equal((0, ""), (report.ExitCode, report.Error));
        Assert.Equal(RingPage.ReplaceLineEndings("\n"), File.ReadAllText(page));
    }

    [Fact]
    public void Report_PlotsOfSeveralFiles_ReplaceNoneOfEachOther()
    {
        string one = _folder.File("one"), two = _folder.File("two");
        string twice = Ring.Replace("\"round-trip\", \"contestant\"", "\"1p/1c\", \"contestant\"", StringComparison.Ordinal);

        CommandLine.Run("report", _folder.Write("c.json", twice), "--svg", one);
        CommandLine.Run("report", _folder.Write("a.json", Ring), _folder.Write("b.json", Ring), "--svg", two);

        Assert.Equal(["ring-1p-1c-2.svg", "ring-1p-1c.svg"], Names(one));
        Assert.Equal(["a-ring-1p-1c.svg", "a-ring-round-trip.svg", "b-ring-1p-1c.svg", "b-ring-round-trip.svg"], Names(two));

        static IEnumerable<string?> Names(string folder) => Directory.GetFiles(folder).Select(Path.GetFileName).Order(StringComparer.Ordinal);
    }

    [Fact]
    public void Report_NoOutputNamed_IsPrinted()
    {
        CommandLine report = CommandLine.Run("report", _folder.Write("ring.json", Ring));

        Assert.Equal(0, report.ExitCode);
        Assert.Contains("Aims that hold: 0", report.Out, StringComparison.Ordinal);
        Assert.Contains("compare --suite ring --case 1p-1c round-trip", report.Out, StringComparison.Ordinal);
        Assert.Single(Directory.GetFiles(_folder.Path));
    }

    [Fact]
    public void Report_TwoFilesOfOneMachine_HasItsCardOnceAndTheClaimsOfEach()
    {
        // The same machine has slightly other times in each run.
        string again = Ring.Replace("95.3", "91.7", StringComparison.Ordinal);

        CommandLine report = CommandLine.Run("report", _folder.Write("b.json", Ring), _folder.Write("a.json", again));

        Assert.Single(report.Out.Split("process-wide barrier")[1..]);
        Assert.Contains("95.3 ns", report.Out, StringComparison.Ordinal);
        Assert.True(
            report.Out.IndexOf("Aims of b.json", StringComparison.Ordinal)
                < report.Out.IndexOf("Aims of a.json", StringComparison.Ordinal));
    }

    [Fact]
    public void Report_OfTwoMachines_SaysWhichFileIsOfWhich()
    {
        string other = Ring.Replace("Test <CPU>", "Other", StringComparison.Ordinal);

        CommandLine report = CommandLine.Run("report", _folder.Write("a.json", Ring), _folder.Write("b.json", other));

        Assert.Contains("Machine of a.json", report.Out, StringComparison.Ordinal);
        Assert.Contains("Machine of b.json", report.Out, StringComparison.Ordinal);
    }

    [Fact]
    public void Report_OfWhatCompareWrote_SaysHowToMeasureItAgain()
    {
        CommandLine report = CommandLine.Run("report", _folder.Write("out.json", SharedRun.Compare.Json));

        Assert.Equal(0, report.ExitCode);
        Assert.Contains("-- compare --suite ring --case 1p-1c one-way-1e5 one-way-1e6 --quick", report.Out, StringComparison.Ordinal);
        Assert.DoesNotContain("--json", report.Out, StringComparison.Ordinal);
        Assert.Contains("a quick run", report.Out, StringComparison.Ordinal);
        Assert.Contains("1c", report.Out, StringComparison.Ordinal);
    }

    [Fact]
    public void Report_OfTheMainJob_HasItsFiguresAndQuotesTheInput()
    {
        string json = _folder.File("run.json");
        CommandLine.Run("run", "--no-hash", "--input", _folder.Write("it's here", "a\nb\n"), "--json", json);

        CommandLine report = CommandLine.Run("report", json);

        Assert.Equal(0, report.ExitCode);
        Assert.Contains($"-- run --input '{_folder.Path}/it'\\''s here' --no-hash", report.Out, StringComparison.Ordinal);
        Assert.Contains("channel-batched", report.Out, StringComparison.Ordinal);
        Assert.Contains("latency-p99 (ns)", report.Out, StringComparison.Ordinal);
    }

    [Fact]
    public void Report_MissingFile_ExitsWith2AndNamesIt()
    {
        CommandLine report = CommandLine.Run("report", _folder.File("gone.json"));

        Assert.Equal(2, report.ExitCode);
        Assert.Contains($"there is no file '{_folder.File("gone.json")}'", report.Error, StringComparison.Ordinal);
    }

    [Fact]
    public void Report_Folder_ExitsWith2AndSaysSo()
    {
        CommandLine report = CommandLine.Run("report", _folder.Path);

        Assert.Equal(2, report.ExitCode);
        Assert.Contains("is a folder", report.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("", "is not JSON: line 1")]
    [InlineData("{ \"tool\": \"raceway\",\n", "is not JSON: line 2")]
    [InlineData("null", "is not a result file")]
    [InlineData("[1, 2]", "is not a result file")]
    [InlineData("{ \"tool\": \"raceway\" }", "is not a result file")]
    public void Report_AnotherContent_ExitsWith2AndSaysWhat(string content, string expected)
    {
        CommandLine report = CommandLine.Run("report", _folder.Write("file.json", content));

        Assert.Equal(2, report.ExitCode);
        Assert.Contains(expected, report.Error, StringComparison.Ordinal);
        Assert.Contains("--json", report.Error, StringComparison.Ordinal);
        Assert.DoesNotContain("unexpectedly", report.Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("\"rows\": [", "\"rows\": [null, ")]
    [InlineData("\"median\": 512", "\"median\": \"many\"")]
    [InlineData("\"suite\": \"ring\"", "\"suite\": null")]
    [InlineData("\"tool\": \"raceway\"", "\"tool\": \"another\"")]
    public void Report_DamagedResultFile_ExitsWith2(string part, string damaged)
    {
        string file = _folder.Write("file.json", Ring.Replace(part, damaged, StringComparison.Ordinal));

        CommandLine report = CommandLine.Run("report", file);

        Assert.Equal(2, report.ExitCode);
        Assert.Contains("is not a result file", report.Error, StringComparison.Ordinal);
    }

    [Fact]
    public void Report_TimesThatAreNone_ArePrintedAsTheyAre()
    {
        string file = _folder.Write("file.json", Ring.Replace("95.3", "-3", StringComparison.Ordinal));

        Assert.Contains("-3.00 ns", CommandLine.Run("report", file).Out, StringComparison.Ordinal);
    }

    [Fact]
    public void Report_OutputInMissingFolder_ExitsWith2()
    {
        CommandLine report =
            CommandLine.Run("report", _folder.Write("ring.json", Ring), "--markdown", _folder.File("none/page.md"));

        Assert.Equal(2, report.ExitCode);
        Assert.Contains("its folder does not exist", report.Error, StringComparison.Ordinal);
    }

    [Fact]
    public void Report_OutputIsAnInput_ExitsWith2AndLeavesItAlone()
    {
        string file = _folder.Write("ring.json", Ring);

        Assert.Equal(2, CommandLine.Run("report", file, "--markdown", file).ExitCode);
        Assert.Equal(Ring, File.ReadAllText(file, Encoding.UTF8));
    }

    [Fact]
    public void Report_NoFile_ExitsWith2() => Assert.Equal(2, CommandLine.Run("report").ExitCode);
}
