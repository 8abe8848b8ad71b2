using System.Text.RegularExpressions;
using Raceway.Lab.Cli;
using Raceway.Lab.Reporting;

namespace Raceway.Lab.Tests.Lab.Reporting;

public sealed partial class TerminalTests
{
    private static readonly Report s_report = ResultsReport.Of([("sample.json", SampleResults.Everything())]);

    [Theory]
    [InlineData(80, false)]
    [InlineData(140, false)]
    [InlineData(80, true)]
    [InlineData(140, true)]
    public void Tables_OnATerminal_AreNeverWiderThanIt(int width, bool isRich)
    {
        string[] lines = Printed(s_report, width, isRich).Split('\n');

        // Paragraphs and commands are one line each: a terminal wraps them, and nobody takes them for a table.
        string[] drawn = [.. lines.Where(static line =>
            IsDrawn().IsMatch(line) && !line.StartsWith("    dotnet", StringComparison.Ordinal))];
        Assert.NotEmpty(drawn);
        Assert.All(drawn, line => Assert.True(line.Length <= width, $"{line.Length}: {line}"));
    }

    [Fact]
    public void Table_TooWide_KeepsItsFirstColumnAndEveryFigure()
    {
        var table = new ReportTable(
            "wide",
            [new ReportColumn("who", IsFigure: false),
                .. Enumerable.Range(0, 12).Select(static at => new ReportColumn($"figure {at}")),
                new ReportColumn("notes", IsFigure: false)],
            [["raceway/default", .. Enumerable.Range(0, 12).Select(static at => $"{at}23,456"),
                "a note of some words that is longer than a line of this terminal has room for"]]);

        string text = Printed(new Report("r", [table]), 60, isRich: false);

        Assert.All(Enumerable.Range(0, 12), at => Assert.Contains($"{at}23,456", text, StringComparison.Ordinal));
        Assert.Contains("wide, continued", text, StringComparison.Ordinal);
        Assert.Equal(text.Split(", continued").Length, text.Split("raceway/default").Length - 1);
        Assert.All(text.Split('\n'), static line => Assert.True(line.Length <= 60, line));
        Assert.Contains("room for", text.ReplaceLineEndings(" "), StringComparison.Ordinal);
    }

    [Fact]
    public void Table_NoTerminal_IsOneLineForEachRow() =>
        Assert.Contains("raceway/default", Printed(s_report, width: null, isRich: false).Split('\n')
            .Single(static line => line.Contains("380–420", StringComparison.Ordinal)
                && line.Contains("yes", StringComparison.Ordinal)),
                StringComparison.Ordinal);

    [Fact]
    public void Report_NotRich_HasNoEscapeCodes()
    {
        string text = Printed(s_report, 80, isRich: false);

        Assert.DoesNotContain('\u001b', text);
        Assert.Contains("* 8.86", text, StringComparison.Ordinal);
        Assert.Contains('█', text);
    }

    [Fact]
    public void Bars_Blocks_AreFullUpToTheIntervalAndAsLongAsTheFigure()
    {
        var bars = new ReportBars(
            "c", IsLog: false, [new("best", 100, 90, 100, "100", true), new("half", 50, 50, 50, "50", false)]);

        string[] lines = Printed(new Report("r", [bars]), 80, isRich: false).Split('\n');

        string best = Assert.Single(lines, static line => line.StartsWith("best", StringComparison.Ordinal));
        string half = Assert.Single(lines, static line => line.StartsWith("half", StringComparison.Ordinal));
        Assert.Equal((36, 4), (best.Count(static c => c == '█'), best.Count(static c => c == '▓')));
        Assert.Equal((20, 0), (half.Count(static c => c == '█'), half.Count(static c => c == '▓')));
    }

    private static string Printed(Report report, int? width, bool isRich)
    {
        using var output = new StringWriter();
        ConsoleReport.Write(report, new ToolConsole(output, TextWriter.Null, isRich) { Width = width });
        return isRich ? Escapes().Replace(output.ToString(), "") : output.ToString();
    }

    [GeneratedRegex("\u001b\\[[0-9;]*[A-Za-z]")]
    private static partial Regex Escapes();

    [GeneratedRegex("[│─╭╰█▓●]|  [0-9.,]+  | yes")]
    private static partial Regex IsDrawn();
}
