using Raceway.Lab.Cli;
using Raceway.Lab.Reporting.Documents;
using Raceway.Measuring;

namespace Raceway.Lab.Tests.Lab.Reporting.Documents;

public sealed class PageFiguresTests
{
    private const string Page = """
        # Words

        <!-- results: results/ring.json
        rows: small, large
        2: {* | ours | throughput | rate} ({* | ours | throughput | range} M)
        3: {* | ours | throughput | over peer}×{* | ours | throughput | over peer range}
        4: {* | ours | latency-p50}{* | ours | latency-p50 | mark does not keep up}
        -->

        | The work | ours | gain | p50 |
        |---|---:|---:|---:|
        | `small`: a \| in a cell | 1 | 2 | 3 |
        | large | 4 | 5 | 6 |

        Figures that no marker has: 7.

        <!-- results: results/ring.json
        text: At {small | ours | latency-p50 | range}, {cost | small | error-median | percent} off: {cost | small | error-median | note};
          `{command}` at {commit} on {measured}, {machine}.
        -->

        What stood here.

        """;

    private static readonly ResultFile s_file = SampleResults.File(
        SampleResults.Row("small", "ours", "throughput", 8_758, "events/s"),
        SampleResults.Row("small", "peer", "throughput", 4_379, "events/s"),
        SampleResults.Row("small", "ours", "latency-p50", 2_400, "ns", "far"),
        SampleResults.Row("large", "ours", "throughput", 8.951e6, "events/s"),
        SampleResults.Row("large", "peer", "throughput", 1e6, "events/s"),
        SampleResults.Row("large", "ours over peer", "ratio", 9.6, "x"),
        SampleResults.Row("large", "ours", "latency-p50", 83.4e6, "ns", "line 300 ns; does not keep up"),
        SampleResults.Row("cost", "small", "error-median", 12.4, "%", "a batch of 8 has 97 % (1 ns a call)")) with
    {
        Commit = "c0ffee1234", Measured = new DateTimeOffset(2026, 1, 2, 3, 4, 5, TimeSpan.Zero),
    };

    private static string Rewritten => PageFigures.Rewrite(Page, "page.md", Read);

    [Fact]
    public void Rewrite_Table_HasTheFiguresOfTheFileAndKeepsTheWords()
    {
        Assert.Contains("| `small`: a \\| in a cell | 8,758 (0.008–0.009 M) | 2.00× | 2.40 µs |\n", Rewritten, StringComparison.Ordinal);
        Assert.Contains("| large | 8.95 M (8.50–9.40 M) | 9.60× [9.12–10.1] | 83.4 ms, does not keep up |\n", Rewritten, StringComparison.Ordinal);
        Assert.Contains("| The work | ours | gain | p50 |\n|---|---:|---:|---:|\n", Rewritten, StringComparison.Ordinal);
        Assert.Contains("Figures that no marker has: 7.", Rewritten, StringComparison.Ordinal);
    }

    [Fact]
    public void Rewrite_Text_IsTheTemplateWithItsFigures() => Assert.EndsWith(
        "-->\n\nAt 2.28–2.52 µs, 12 % off: a batch of 8 has 97 %; `raceway compare --suite ring --quick` at c0ffee1 on 2026-01-02, "
        + "4 cores of Test CPU, .NET 10.\n",
        Rewritten, StringComparison.Ordinal);

    [Fact]
    public void Rewrite_Standing_IsBesideTheBestOfTheOthers()
    {
        ResultFile file = SampleResults.File(
            SampleResults.Row("small", "raceway/default", "overhead", 10, "ns"),
            SampleResults.Row("small", "channel", "overhead", 40, "ns"),
            // Ahead of one of ours is no standing.
            SampleResults.Row("small", "raceway/default over raceway/single", "ratio", 2, "x", "standing beside the best of 1: ahead"),
            SampleResults.Row("large", "raceway/default over channel", "ratio", 9, "x", "standing beside the best of 2: ahead"),
            SampleResults.Row("small", "raceway/default over channel", "ratio", 0.25, "x", "aim 1: at most 0.5, holds"),
            SampleResults.Row("small", "raceway/default over channel", "ratio", 4, "x", "standing beside the best of 2: ahead"));

        Assert.EndsWith("-->\n\n4.00× [3.80–4.20] `channel`\n", Standing("raceway/default"), StringComparison.Ordinal);
        Assert.Contains("the file does not say", Assert.Throws<ToolException>(() => Standing("channel")).Message, StringComparison.Ordinal);

        string Standing(string contestant) => PageFigures.Rewrite(
            $"<!-- results: results/x.json\ntext: {{small | {contestant} | overhead | standing}}\n-->\n\nx\n", "page.md", _ => file);
    }

    // A standing says how many times as fast; over says how many times the figure.
    [Fact]
    public void Rewrite_OverOfATime_IsItsTimeOverTheOthers()
    {
        ResultFile file = SampleResults.File(
            SampleResults.Row("small", "raceway/default", "overhead", 10, "ns"), SampleResults.Row("small", "channel", "overhead", 40, "ns"),
            SampleResults.Row("small", "raceway/default", "latency-p50", 900, "ns"), SampleResults.Row("small", "channel", "latency-p50", 300, "ns"),
            SampleResults.Row("small", "raceway/default over channel", "ratio", 4, "x", "standing beside the best of 2: ahead"));

        Assert.Equal("0.25 [0.24–0.26]", Of("overhead"));
        // The standing is of the first metric of the case.
        Assert.Equal("3.00", Of("latency-p50"));

        string Of(string metric) => PageFigures.Rewrite(
            $"<!-- results: results/x.json\ntext: {{small | raceway/default | {metric} | over channel}}{{small | raceway/default | {metric} | over channel range}}\n-->\n\nx\n", "page.md", _ => file)
            .Split("-->\n\n")[1].Trim();
    }

    [Fact]
    public void Rewrite_FigureOfAWrongResult_IsRefused()
    {
        ResultFile file = SampleResults.File(SampleResults.Row("small", "channel", "overhead", 40, "ns") with { Verified = false });

        Assert.Contains("the result was wrong", Assert.Throws<ToolException>(() => PageFigures.Rewrite(
            "<!-- results: results/x.json\ntext: {small | channel | overhead}\n-->\n\nx\n", "page.md", _ => file)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Rewrite_PageThatHasBeenRewritten_StaysAsItIs() =>
        Assert.Equal(Rewritten, PageFigures.Rewrite(Rewritten, "page.md", Read));

    // What the check of the documents rests on: any digit that is not the file's is put right, and so is noticed.
    [Fact]
    public void Rewrite_AnyOtherDigitInAMarkedPlace_IsPutRight()
    {
        int first = Rewritten.IndexOf("| `small`", StringComparison.Ordinal), end = Rewritten.IndexOf("Figures that", StringComparison.Ordinal);
        int[] digits = [.. Enumerable.Range(first, end - first).Where(static at => char.IsAsciiDigit(Rewritten[at]))];
        Assert.InRange(digits.Length, 20, int.MaxValue);
        foreach (int at in digits)
        {
            string wrong = $"{Rewritten[..at]}{(Rewritten[at] == '9' ? '8' : '9')}{Rewritten[(at + 1)..]}";
            Assert.Equal(Rewritten, PageFigures.Rewrite(wrong, "page.md", Read));
        }
    }

    [Theory]
    [InlineData("| ours | latency-p50}", "| theirs | latency-p50}", "asks for small | theirs | latency-p50, but the file has there ours, peer")]
    [InlineData("{small | ours | latency-p50 | range}", "{huge | ours | latency-p50 | range}", "but the file has the cases small, large, cost")]
    [InlineData("| ours | latency-p50}", "| ours | latency-p99}", "but the file has there throughput, latency-p50")]
    [InlineData("rows: small, large", "rows: small", "has 1 rows, but the table below has 2")]
    [InlineData("4: ", "5: ", "has a column 5, but the table below has 4")]
    [InlineData("rate}", "speed}", "has the form 'speed', but forms are")]
    [InlineData("{command}", "{a | b}", "has a figure of 2 parts")]
    public void Rewrite_MarkerThatAsksForWhatIsNotThere_SaysWhatThereIs(string right, string wrong, string expected)
    {
        var error = Assert.Throws<ToolException>(() => PageFigures.Rewrite(Page.Replace(right, wrong, StringComparison.Ordinal), "page.md", Read));
        Assert.Contains(expected, error.Message, StringComparison.Ordinal);
        Assert.StartsWith("'page.md', figures of 'results/ring.json': the marker ", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Summary_OfARun_HasItsMediansAndIntervalsAlone()
    {
        ResultFile all = SampleResults.Everything();
        ResultFile run = all with
        {
            Rows = [.. all.Rows, SampleResults.Row("1p-1c", "raceway/default", "cpu", 0.3, "s"), SampleResults.Row("1p-1c", "raw", "throughput", 1e8, "events/s", "line 90 ns, near; asleep")],
            Options = new Dictionary<string, string> { ["input"] = "/home/of/a/machine", ["command"] = "raceway run" },
        };
        ResultFile summary = ResultFile.Parse(ResultSummary.Of(run).ToLines());

        ResultRow[] quoted = [.. run.Rows.Where(static row => row.Metric != "cpu")];
        Assert.Equal(quoted.Select(static row => (row.Case, row.Contestant, row.Metric, row.Verified)), summary.Rows.Select(static row => (row.Case, row.Contestant, row.Metric, row.Verified)));
        Assert.Equal("asleep", summary.Rows[^1].Note);
        Assert.All(quoted.Zip(summary.Rows), static pair => Assert.Equal(pair.First.Median ?? 0, pair.Second.Median ?? 0, (pair.First.Median ?? 0) * 1e-5));
        Assert.Equal(["command"], summary.Options.Keys);
        Assert.True(summary is { Curves: null, Timelines: null, Layouts: null });
        Assert.Equal(ResultSummary.Of(run).ToLines(), ResultSummary.Of(summary).ToLines());
    }

    [Fact]
    public void Report_SummaryAndPages_AreWrittenByOneCommand()
    {
        using var folder = new TempFolder();
        string run = folder.Write("run.json", s_file.ToJson()), page = folder.Write("docs/page.md", Page);
        Directory.CreateDirectory(folder.File("docs/results"));

        CommandLine done = CommandLine.Run("report", run, "--summary", folder.File("docs/results/ring.json"), "--pages", page);

        Assert.Equal((0, ""), (done.ExitCode, done.Error));
        Assert.Equal(Rewritten, File.ReadAllText(page));
        Assert.Equal(ResultSummary.Of(s_file).ToLines(), File.ReadAllText(folder.File("docs/results/ring.json")));
    }

    private static ResultFile Read(string name)
    {
        Assert.Equal("results/ring.json", name);
        return s_file;
    }
}
