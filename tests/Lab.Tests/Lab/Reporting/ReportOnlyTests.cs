using System.Xml.Linq;
using Raceway.Measuring;

namespace Raceway.Lab.Tests.Lab.Reporting;

/// <summary><c>raceway report --only</c>, and the levels beside the curves of a plot.</summary>
public sealed class ReportOnlyTests : IDisposable
{
    private const string Swept = """
        {
          "tool": "raceway", "version": "0.1.0", "suite": "batching", "options": {},
          "machine": {
            "cpu": "c", "logicalCores": 2, "usableCores": 2, "lineSize": 64, "os": "o", "architecture": "X64", "runtime": "r",
            "vectorBits": 256, "membarrier": true, "membarrierAloneNs": 1, "membarrierBusyNs": 1, "pauseNs": 1, "spinWaitNs": 1,
            "clockTickNs": 1, "clockReadNs": 1, "lineRoundTripNs": 1, "tiering": "default"
          },
          "rows": [
            { "case": "disk", "contestant": "raceway/batch/1", "metric": "throughput", "unit": "events/s", "median": 1000, "knobs": { "batch": "1" }, "verified": true },
            { "case": "disk", "contestant": "raceway/batch/64", "metric": "throughput", "unit": "events/s", "median": 50000, "knobs": { "batch": "64" }, "verified": true },
            { "case": "disk", "contestant": "raceway/single", "metric": "throughput", "unit": "events/s", "median": 900, "verified": true },
            { "case": "disk", "contestant": "raceway/single", "metric": "cpu", "unit": "s", "median": 5, "verified": true },
            { "case": "disk", "contestant": "channel", "metric": "throughput", "unit": "events/s", "median": 800, "verified": true },
            { "case": "disk", "contestant": "raceway/single over channel", "metric": "ratio", "unit": "x", "median": 1.1, "verified": true, "note": "claim 1a: at least 1, holds" }
          ],
          "curves": [
            { "case": "disk", "contestant": "raceway/batch", "kind": "batch", "x": "jobs", "y": "throughput, events/s", "points": [[1, 1000], [64, 50000]] }
          ]
        }
        """;

    private static readonly XNamespace s_svg = "http://www.w3.org/2000/svg";
    private readonly TempFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void Plot_OfACaseWithAKnob_HasTheOthersAsLevels()
    {
        Assert.Equal(["raceway/batch", "raceway/single", "channel"], Legend());
    }

    [Fact]
    public void Files_OfSeveralCommits_AsOne_NameAll()
    {
        string merged = _folder.File("all.json");
        string Of(string commit) => Swept.Replace("\"suite\"", $"\"commit\": \"{commit}\", \"suite\"", StringComparison.Ordinal);

        CommandLine.Run("report", _folder.Write("a.json", Of("c0ffee")), _folder.Write("b.json", Of("beef01")), "--json", merged);

        Assert.Equal(("batching", "c0ffee + beef01"), (ResultFile.Load(merged).Suite, ResultFile.Load(merged).Commit));
    }

    [Fact]
    public void Only_SomeContestants_AreAllThatIsPlotted()
    {
        Assert.Equal(["raceway/batch", "channel"], Legend("--only", "channel", "raceway/batch/*"));
    }

    [Fact]
    public void Only_SomeContestants_AreAllThatIsReported()
    {
        CommandLine report = CommandLine.Run("report", _folder.Write("a.json", Swept), "--only", "channel");

        Assert.Equal(0, report.ExitCode);
        Assert.Contains("channel", report.Out, StringComparison.Ordinal);
        Assert.DoesNotContain("raceway/single", report.Out, StringComparison.Ordinal);
    }

    [Fact]
    public void Only_UnknownContestant_ExitsWith2AndSaysWhichThereAre()
    {
        CommandLine report = CommandLine.Run("report", _folder.Write("a.json", Swept), "--only", "channel", "chanel");

        Assert.Equal(2, report.ExitCode);
        Assert.Contains("has no 'chanel'", report.Error, StringComparison.Ordinal);
        Assert.Contains("raceway/batch/64", report.Error, StringComparison.Ordinal);
    }

    private IEnumerable<string> Legend(params string[] options)
    {
        string plots = _folder.File("plots");
        CommandLine report = CommandLine.Run(["report", _folder.Write("a.json", Swept), "--svg", plots, .. options]);
        Assert.Equal((0, ""), (report.ExitCode, report.Error));
        string[] known = ["raceway/batch", "raceway/single", "channel"];
        return XDocument.Load(Path.Combine(plots, "batching-disk.svg")).Root!.Elements(s_svg + "text")
            .Select(static text => text.Value).Where(known.Contains);
    }
}
