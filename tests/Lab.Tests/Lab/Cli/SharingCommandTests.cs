using System.Xml.Linq;
using Raceway.Measuring;

namespace Raceway.Lab.Tests.Lab.Cli;

public sealed class SharingCommandTests : IDisposable
{
    private readonly TempFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void Sharing_SomeCases_WritesRowsWithKnobsAndCurves()
    {
        SharedRun sharing = SharedRun.Sharing;

        Assert.All(
            ["publishing call", "CellPadding.", "Hardware counters"],
            part => Assert.Contains(part, sharing.Command.Out, StringComparison.Ordinal));
        ResultFile result = sharing.Result;
        ResultRow row = result.Rows.First(static row => row is { Case: "counters/locked", Contestant: "two-threads/64" });
        Assert.Equal(
            ["64", "locked", "2", "any"], new[] { "stride", "op", "threads", "placement" }.Select(knob => row.Knobs![knob]));
        ResultCurve[] strides = [.. result.Curves!.Where(static curve => curve is { Case: "counters/locked", Kind: "stride" })];
        Assert.Equal(["one-thread", "two-threads"], strides.Select(static curve => curve.Contestant));
        Assert.All(strides, static curve => Assert.Equal([0, 8, 16, 32, 64, 128, 192], curve.Points.Select(static point => point[0])));
    }

    [Fact]
    public void Sharing_Interrupted_KeepsWhatThereIsAndExitsWith130()
    {
        string json = _folder.File("sharing.json");
        using var error = new StringWriter();

        CommandLine sharing = CommandLine.Run(["sharing", "--json", json], error, new CancellationToken(canceled: true));

        Assert.Equal(130, sharing.ExitCode);
        Assert.Contains("Interrupted", sharing.Out, StringComparison.Ordinal);
        Assert.DoesNotContain(ResultFile.Load(json).Rows, static row => row.Median is not null);
    }

    [Fact]
    public void Report_Svg_WritesAPlotForEachCase()
    {
        string json = _folder.Write("sharing.json", SharedRun.Sharing.Json), plots = _folder.File("plots");

        CommandLine report = CommandLine.Run("report", json, "--svg", plots);

        Assert.Equal(0, report.ExitCode);
        string[] files = [.. Directory.GetFiles(plots).Select(file => Path.GetFileName(file)).Order()];
        Assert.Equal(["sharing-cells.svg", "sharing-counters-locked.svg", "sharing-padding-publish.svg"], files);
        Assert.All(files, file => Assert.Equal("svg", XDocument.Load(Path.Combine(plots, file)).Root!.Name.LocalName));
    }

    [Fact]
    public void Report_SvgToAFile_IsRefused()
    {
        string json = _folder.Write("sharing.json", SampleResults.Everything().ToJson());

        CommandLine report = CommandLine.Run("report", json, "--svg", json);

        Assert.Equal(2, report.ExitCode);
        Assert.Contains("cannot make the folder", report.Error, StringComparison.Ordinal);
    }
}
