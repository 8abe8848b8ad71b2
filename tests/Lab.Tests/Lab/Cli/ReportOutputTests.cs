using Raceway.Measuring;

namespace Raceway.Lab.Tests.Lab.Cli;

public sealed class ReportOutputTests : IDisposable
{
    private readonly TempFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void Report_Html_IsThePageAndNothingElseIsLeft()
    {
        string html = _folder.File("page.html");

        CommandLine report = CommandLine.Run("report", Sample("sample.json"), "--html", html);

        Assert.Equal((0, "", $"Wrote '{html}'.\n"), (report.ExitCode, report.Error, report.Out.ReplaceLineEndings("\n")));
        Assert.StartsWith("<!doctype html>", File.ReadAllText(html), StringComparison.Ordinal);
        Assert.Equal(2, Directory.GetFiles(_folder.Path).Length);
    }

    [Fact]
    public void Report_SameFileTwice_IsTheSamePage()
    {
        string one = _folder.File("one.html"), two = _folder.File("two.html"), sample = Sample("sample.json");

        CommandLine.Run("report", sample, "--html", one);
        CommandLine.Run("report", sample, "--html", two);

        Assert.Equal(File.ReadAllText(one), File.ReadAllText(two));
    }

    [Fact]
    public void Report_SeveralOutputs_AreAllWritten()
    {
        string html = _folder.File("a.html"), markdown = _folder.File("a.md"), json = _folder.File("a.json");

        CommandLine report = CommandLine.Run(
            "report", Sample("sample.json"), "--html", html, "--markdown", markdown, "--json", json);

        Assert.Equal(0, report.ExitCode);
        Assert.All([html, markdown, json], static name => Assert.True(new FileInfo(name).Length > 0));
        Assert.Equal(2, CommandLine.Run("report", Sample("sample.json"), "--html", html, "--markdown", html).ExitCode);
    }

    [Fact]
    public void Report_Json_HasTheCasesOfAllFilesAndTheCommandsOfAll()
    {
        string json = _folder.File("all.json");

        CommandLine merge = CommandLine.Run("report", Sample("a.json"), Sample("b.json"), "--json", json);
        CommandLine again = CommandLine.Run("report", json);

        Assert.Equal((0, ""), (merge.ExitCode, merge.Error));
        ResultFile all = ResultFile.Load(json), one = SampleResults.Everything();
        Assert.Equal(2 * one.Rows.Count, all.Rows.Count);
        Assert.Equal(2 * one.Curves!.Count, all.Curves!.Count);
        Assert.Equal(2 * one.Timelines!.Count, all.Timelines!.Count);
        Assert.Contains(all.Rows, static row => row.Case == "b.json: 1p-1c");
        Assert.Equal(2, again.Out.Split("-- compare --suite ring --quick").Length - 1);
        Assert.Contains("a quick run", again.Out, StringComparison.Ordinal);
    }

    [Fact]
    public void Report_JsonOfOneFile_IsThatFile()
    {
        string json = _folder.File("again.json"), sample = Sample("sample.json");

        CommandLine.Run("report", sample, "--json", json);

        Assert.Equal(File.ReadAllText(sample).Trim(), File.ReadAllText(json).Trim());
    }

    [Fact]
    public void Report_JsonOfTwoMachines_ExitsWith2AndSaysWhich()
    {
        ResultFile other = SampleResults.File() with { Machine = SampleResults.Machine with { Cpu = "Another" } };

        CommandLine report = CommandLine.Run(
            "report", Sample("a.json"), _folder.Write("b.json", other.ToJson()), "--json", _folder.File("all.json"));

        Assert.Equal(2, report.ExitCode);
        Assert.Contains("'b.json' is of another one than 'a.json'", report.Error, StringComparison.Ordinal);
        Assert.False(File.Exists(_folder.File("all.json")));
    }

    [Theory]
    [InlineData("\"curves\": [", "\"curves\": [null, ", "$.curves")]
    [InlineData("\"points\": [", "\"points\": [[1], ", "$.curves")]
    [InlineData("\"points\": [", "\"points\": [null, ", "$.curves")]
    [InlineData("\"points\": [", "\"points\": [[1, \"two\"], ", "$.curves")]
    [InlineData("\"timelines\": [", "\"timelines\": [null, ", "$.timelines")]
    [InlineData("\"samples\": [", "\"samples\": [null, ", "$.timelines")]
    [InlineData("\"samples\": [", "\"samples\": [{ \"at\": \"noon\" }, ", "$.timelines")]
    [InlineData("\"wait\": \"park\"", "\"wait\": null", "$.rows")]
    [InlineData("\"quick\": \"true\"", "\"quick\": null", "$.options")]
    public void Report_DamagedFigures_ExitsWith2AndSaysWhere(string part, string damaged, string where)
    {
        string text = SampleResults.Everything().ToJson();
        int at = text.IndexOf(part, StringComparison.Ordinal);
        string file = _folder.Write("file.json", $"{text[..at]}{damaged}{text[(at + part.Length)..]}");

        CommandLine report = CommandLine.Run("report", file, "--html", _folder.File("page.html"));

        Assert.Equal(2, report.ExitCode);
        Assert.Contains("is not a result file", report.Error, StringComparison.Ordinal);
        Assert.Contains(where, report.Error, StringComparison.Ordinal);
        Assert.False(File.Exists(_folder.File("page.html")));
    }

    [Theory]
    [InlineData("run", "--no-hash", "--input")]
    [InlineData("doctor")]
    public void EveryCommand_Html_IsAPageOfTheSameMaking(params string[] args)
    {
        string html = _folder.File("page.html"), json = _folder.File("file.json");
        string[] input = args[^1] == "--input" ? [_folder.Write("lines", "a\nb\nc\n")] : [];

        CommandLine command = CommandLine.Run([.. args, .. input, "--html", html, "--json", json]);

        Assert.Equal(0, command.ExitCode);
        AssertIsAPageOf(args[0], File.ReadAllText(html), ResultFile.Load(json));
    }

    [Fact]
    public void Compare_Html_IsAPageOfTheSameMaking() =>
        AssertIsAPageOf("compare", SharedRun.Compare.Html, SharedRun.Compare.Result);

    [Fact]
    public void Compare_LatenciesAtTwoLoads_WritesThemAgainstTheLoad()
    {
        ResultCurve[] curves = [.. SharedRun.Compare.Result.Curves!.Where(static curve =>
            curve is { Kind: CurveKind.LatencyAgainstLoad, Contestant: "raceway/default" })];
        Assert.Equal(["ns, p50", "ns, p99"], curves.Select(static curve => curve.Y));
        Assert.All(curves, static curve => Assert.Equal([1e5, 1e6], curve.Points.Select(static point => point[0])));
    }

    private static void AssertIsAPageOf(string command, string page, ResultFile result)
    {
        Assert.Contains("Content-Security-Policy", page, StringComparison.Ordinal);
        Assert.Contains("What the figures of this machine stand on", page, StringComparison.Ordinal);
        Assert.Single(page.Split("process-wide barrier")[1..]);
        Assert.Contains($"-- {command}", page, StringComparison.Ordinal);
        Assert.Equal(command != "doctor", page.Contains("<figure", StringComparison.Ordinal));
        Assert.Equal(command == "doctor", result.Curves is null);
    }

    private string Sample(string name) => _folder.Write(name, SampleResults.Everything().ToJson());
}
