using Raceway.Lab.Reporting;
using Raceway.Measuring;

namespace Raceway.Gates.Tests.Docs;

/// <summary>Plots of the batching suite in pages are those of the stored run.</summary>
/// <remarks><c>raceway report docs/results/batching.json --redraw docs/plots</c> draws them anew.</remarks>
public sealed class StoredPlotsTests
{
    private static readonly Lazy<Dictionary<string, string>> s_drawn = new(static () =>
        SvgPlots.Of(ResultFile.Load(Path.Combine(Tree.Root, "docs", "results", "batching.json"))).ToDictionary(static plot => plot.FileName, static plot => plot.Svg));

    /// <summary>The stored plots.</summary>
    public static TheoryData<string> Plots =>
        [.. Directory.GetFiles(Path.Combine(Tree.Root, "docs", "plots"), "batching-*.svg").Select(static file => Path.GetFileName(file)).Order(StringComparer.Ordinal)];

    [Theory]
    [MemberData(nameof(Plots))]
    public void Plot_OfTheBatchingSuite_IsThatOfTheStoredRun(string file) =>
        Assert.Equal(s_drawn.Value.GetValueOrDefault(file), Tree.Read("docs", "plots", file));
}
