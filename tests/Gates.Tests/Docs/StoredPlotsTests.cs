using System.Collections.Concurrent;
using Raceway.Lab.Reporting;
using Raceway.Measuring;

namespace Raceway.Gates.Tests.Docs;

/// <summary>Plots in pages are those of the stored run of their suite: <c>docs/plots/lanes-uniform-cores.svg</c> of <c>docs/results/lanes.json</c>.</summary>
/// <remarks><c>raceway report docs/results/SUITE.json --redraw docs/plots</c> draws them anew.</remarks>
public sealed class StoredPlotsTests
{
    // Those that the first screen compares.
    private static readonly string[] s_mainJob = ["raceway/default", "raceway/single-auto-default", "channel", "channel-batched"];

    private static readonly ConcurrentDictionary<string, IReadOnlyDictionary<string, string>> s_drawn = new();

    /// <summary>The stored plots of suites, each with its suite.</summary>
    public static TheoryData<string, string> Plots
    {
        get
        {
            string[] suites = [.. Files("results", "*.json").Select(static file => Path.GetFileNameWithoutExtension(file))];
            return [.. from plot in Files("plots", "*.svg") from suite in suites where plot.StartsWith($"{suite}-", StringComparison.Ordinal) select (plot, suite)];
        }
    }

    [Theory]
    [MemberData(nameof(Plots))]
    public void Plot_OfASuite_IsThatOfItsStoredRun(string plot, string suite) =>
        Assert.Equal(s_drawn.GetOrAdd(suite, Drawn).GetValueOrDefault(plot), Tree.Read("docs", "plots", plot));

    /// <summary>Drawn by <c>raceway report docs/results/main-job.json --only … --redraw docs/plots</c>.</summary>
    [Fact]
    public void Plot_OfTheMainJob_IsThatOfItsStoredRun()
    {
        ResultFile stored = Stored("main-job");
        ResultFile shown = stored with { Rows = [.. stored.Rows.Where(static row => s_mainJob.Contains(row.Contestant))] };

        Assert.Equal(SvgPlots.Of(shown).Single(static plot => plot.FileName == "main-job.svg").Svg, Tree.Read("docs", "plots", "main-job.svg"));
    }

    private static ResultFile Stored(string suite) => ResultFile.Load(Path.Combine(Tree.Root, "docs", "results", $"{suite}.json"));

    private static IReadOnlyDictionary<string, string> Drawn(string suite) =>
        SvgPlots.Of(Stored(suite)).ToDictionary(static plot => plot.FileName, static plot => plot.Svg);

    private static IEnumerable<string> Files(string folder, string pattern) =>
        Directory.GetFiles(Path.Combine(Tree.Root, "docs", folder), pattern).Select(static file => Path.GetFileName(file)).Order(StringComparer.Ordinal);
}
