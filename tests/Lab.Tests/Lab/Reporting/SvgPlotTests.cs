using System.Xml.Linq;
using Raceway.Lab.Reporting;
using Raceway.Measuring;

namespace Raceway.Lab.Tests.Lab.Reporting;

public sealed class SvgPlotTests
{
    private static readonly XNamespace s_svg = "http://www.w3.org/2000/svg";

    [Fact]
    public void Lines_NamesWithMarkup_AreText()
    {
        string svg = SvgPlot.Lines("<a> & \"b\"", "<x>", "<y>", [new SvgSeries("<script>", [(1, 2), (2, 3)])]);

        XElement root = XDocument.Parse(svg).Root!;
        Assert.Equal("<a> & \"b\"", root.Element(s_svg + "title")!.Value);
        Assert.Contains("<script>", root.Elements(s_svg + "text").Select(static text => text.Value));
        Assert.Empty(root.Descendants(s_svg + "script"));
    }

    [Fact]
    public void Lines_AnyPage_FollowsItsScheme() =>
        Assert.Contains(
            "prefers-color-scheme: dark", SvgPlot.Lines("t", "x", "y", [new SvgSeries("a", [(0, 1)])]), StringComparison.Ordinal);

    [Theory]
    [InlineData(new double[0])]
    [InlineData(new double[] { 0 })]
    [InlineData(new double[] { 0, 0, 0 })]
    [InlineData(new[] { double.NaN, 1 })]
    [InlineData(new[] { double.PositiveInfinity, 1 })]
    [InlineData(new double[] { -5, 5 })]
    [InlineData(new[] { 1e-9, 1e12 })]
    public void Plots_AnyFigures_AreDrawnWithinTheirFrame(double[] values)
    {
        string lines = SvgPlot.Lines("t", "x", "y", [new SvgSeries("a", [.. values.Select(static (value, at) => ((double)at, value))])]);
        string Bars(bool isLog) => SvgPlot.Bars("t", new ReportBars("x", isLog, [.. values.Select(static value => new ReportBar("a", value, value, value, "1 (1–1)", true))]), static tick => $"{tick}");

        foreach (XElement root in new[] { lines, Bars(isLog: false), Bars(isLog: true) }.Select(static svg => XDocument.Parse(svg).Root!))
        {
            double height = (double)root.Attribute("height")!, width = (double)root.Attribute("width")!;
            Assert.All(root.Elements(s_svg + "circle"), circle =>
            {
                Assert.InRange((double)circle.Attribute("cx")!, 0, width);
                Assert.InRange((double)circle.Attribute("cy")!, 0, height);
            });
            Assert.All(root.Elements(s_svg + "rect"), bar => Assert.InRange((double)bar.Attribute("width")!, 0, width));
        }
    }

    [Fact]
    public void Bars_OfACase_SayTheirFigures_OursInAColourOfTheirOwn()
    {
        ReportBars Chart(double most) => new("c", IsLog: most > 1_000,
            [new("raceway/default", most, most, most, "first", IsOurs: true), new("peer", 2, 1, 3, "second", IsOurs: false), new("absent", null, 0, 0, "not measured", IsOurs: false)]);

        foreach (double most in new[] { 4.0, 4_000 })
        {
            XElement root = XDocument.Parse(SvgPlot.Bars("t", Chart(most), static tick => $"{tick:N0} ns")).Root!;
            string[] texts = [.. root.Elements(s_svg + "text").Select(static text => text.Value)];
            Assert.Superset(new HashSet<string> { "raceway/default", "first", "peer", "second" }, texts.ToHashSet());
            Assert.DoesNotContain("absent", texts);
            string?[] looks = [.. root.Elements(s_svg + "rect").Select(static bar => (string?)bar.Attribute("style")).OfType<string>()];
            Assert.Equal(2, looks.Length);
            Assert.NotEqual(looks[0], looks[1]);
            Assert.Equal(most > 1_000, texts.Contains("1,000 ns"));
        }
    }

    [Theory]
    [InlineData(9.4, 10, new double[] { 0, 2, 4, 6, 8, 10 })]
    [InlineData(4, 4, new double[] { 0, 1, 2, 3, 4 })]
    [InlineData(0.3, 0.3, new[] { 0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3 })]
    public void Of_ValuesAlike_BeginsAtZeroWithRoundMarks(double most, double end, double[] ticks)
    {
        SvgScale scale = SvgScale.Of([most / 2, most]);

        Assert.Equal(end, scale.To, precision: 9);
        Assert.Equal(ticks.Length, scale.Ticks.Count);
        Assert.All(ticks.Zip(scale.Ticks), static pair => Assert.Equal(pair.First, pair.Second, precision: 9));
    }

    [Fact]
    public void Of_ValuesFarApart_IsInPowersOfTen()
    {
        SvgScale scale = SvgScale.Of([2.5, 48, 9_000]);

        Assert.True(scale.IsLogarithmic);
        Assert.Equal([1.0, 10, 100, 1_000, 10_000], scale.Ticks);
        Assert.Equal(0.25, scale.PartOf(10), precision: 9);
    }

    [Fact]
    public void KnobCurves_RowsAlongAKnob_AreACurveForEachSeries()
    {
        ResultRow[] rows = [Row("a/16", 2, "16"), Row("a/8", 1, "8"), Row("b/8", 3, "8"), Row("other", 4, null), Row("c/8", null, "8")];

        ResultCurve curve = Assert.Single(KnobCurves.Of(rows, new Axis("stride", "bytes")));

        Assert.Equal(("a", "stride", "bytes"), (curve.Contestant, curve.Kind, curve.X));
        Assert.Equal([[8, 1], [16, 2]], curve.Points);
    }

    private static ResultRow Row(string contestant, double? median, string? stride) => new()
    {
        Case = "case", Contestant = contestant, Metric = "overhead", Unit = "ns/event", Median = median,
        Knobs = stride is null ? null : new Dictionary<string, string> { ["stride"] = stride },
    };
}
