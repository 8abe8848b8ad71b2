using Raceway.Lab.Reporting;
using Raceway.Measuring;

namespace Raceway.Gates.Tests.Docs;

/// <summary>Plots in pages are those of stored runs: <c>docs/plots/lanes-uniform-cores.svg</c> of <c>docs/results/lanes.json</c>.</summary>
/// <remarks><c>raceway report docs/results/SUITE.json --redraw docs/plots</c> draws them anew.</remarks>
public sealed class StoredPlotsTests
{
    private const string MainJob = "main-job.svg";

    // Those that the first screen compares.
    private static readonly string[] s_mainJob = ["raceway/default", "raceway/single-auto-default", "channel", "channel-batched"];

    // What they are drawn from is not stored.
    private static readonly string[] s_withoutRun = ["sharing-counters-read.svg", "sharing-padding-1p-1c.svg"];

    private static readonly Lazy<ILookup<string, string>> s_drawn = new(static () =>
        Files("results", "*.json").SelectMany(static file => SvgPlots.Of(Stored(file))).ToLookup(static plot => plot.FileName, static plot => plot.Svg));

    /// <summary>The plots of pages.</summary>
    public static TheoryData<string> Plots => [.. Files("plots", "*.svg").Except(s_withoutRun).Except([MainJob])];

    [Theory]
    [MemberData(nameof(Plots))]
    public void Plot_OfASuite_IsThatOfItsStoredRun(string plot) =>
        Assert.Contains(Tree.Read("docs", "plots", plot), s_drawn.Value[plot]);

    /// <summary>Drawn by <c>raceway report docs/results/main-job.json --only … --redraw docs/plots</c>.</summary>
    [Fact]
    public void Plot_OfTheMainJob_IsThatOfItsStoredRun()
    {
        ResultFile stored = Stored("main-job.json");
        ResultFile shown = stored with { Rows = [.. stored.Rows.Where(static row => s_mainJob.Contains(row.Contestant))] };

        Assert.Equal(SvgPlots.Of(shown).Single(static plot => plot.FileName == MainJob).Svg, Tree.Read("docs", "plots", MainJob));
    }

    private static ResultFile Stored(string file) => ResultFile.Load(Path.Combine(Tree.Root, "docs", "results", file));

    private static IEnumerable<string> Files(string folder, string pattern) =>
        Directory.GetFiles(Path.Combine(Tree.Root, "docs", folder), pattern).Select(static file => Path.GetFileName(file)).Order(StringComparer.Ordinal);
}
