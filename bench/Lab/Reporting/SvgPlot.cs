using System.Globalization;
using System.Net;
using System.Text;

namespace Raceway.Lab.Reporting;

/// <summary>A series of a line plot.</summary>
/// <param name="Name">Its name in the legend.</param>
/// <param name="Points">Its points, by rising x.</param>
internal sealed record SvgSeries(string Name, IReadOnlyList<(double X, double Y)> Points);

/// <summary>A bar of a bar plot.</summary>
/// <param name="Name">What stands before it.</param>
/// <param name="Value">How long it is.</param>
/// <param name="Low">Lower end of its interval.</param>
/// <param name="High">Upper end of its interval.</param>
internal sealed record SvgBar(string Name, double Value, double Low, double High);

/// <summary>Line and bar plots as SVG files: for documents, so they follow the reader's light or dark setting.</summary>
/// <remarks>
/// An image in a page cannot take the page's colours, but it is asked for the reader's scheme itself. Series differ by colour,
/// by dash and by marker. The figure carries its title and a description for those who do not see it.
/// </remarks>
internal static class SvgPlot
{
    private const int Width = 760;
    private const int Left = 78, Right = 24, Top = 52, Bottom = 58;
    private const int Height = 400;
    private const int LegendRow = 20, LegendColumns = 3;

    // Okabe and Ito's colours, which colour-blind readers tell apart, the dark ones lightened for a dark page.
    private const string Style = """
        <style>
        svg { --ink: #1f2328; --soft: #59636e; --grid: #d8dee4; --back: #ffffff;
          --c0: #0072b2; --c1: #d55e00; --c2: #007a5a; --c3: #a0447c; --c4: #8a6d00; --c5: #3a7ca5; --c6: #555555; --c7: #b03030; }
        @media (prefers-color-scheme: dark) {
          svg { --ink: #f0f6fc; --soft: #9198a1; --grid: #3d444d; --back: #0d1117;
            --c0: #56b4e9; --c1: #f39c54; --c2: #2fc799; --c3: #e39ac4; --c4: #f0e442; --c5: #9ccbe8; --c6: #bbbbbb; --c7: #ff8f8f; } }
        text { font: 13px system-ui, sans-serif; fill: var(--ink); }
        .title { font-size: 15px; font-weight: 600; } .soft { fill: var(--soft); }
        .grid { stroke: var(--grid); } .axis { stroke: var(--soft); } .back { fill: var(--back); }
        .end { text-anchor: end; } .middle { text-anchor: middle; }
        </style>

        """;

    private static readonly string[] s_dashes = ["", "7 4", "2 3", "9 3 2 3", "", "7 4", "2 3", "9 3 2 3"];

    /// <summary>Lines over an axis whose steps double; upwards from zero, or in powers of ten where the values span many.</summary>
    /// <param name="title">The title.</param>
    /// <param name="x">What is along, with its unit.</param>
    /// <param name="y">What is upwards, with its unit.</param>
    /// <param name="series">The lines; eight at most are told apart.</param>
    public static string Lines(string title, string x, string y, IReadOnlyList<SvgSeries> series)
    {
        double[] places = [.. series.SelectMany(static one => one.Points).Select(static point => point.X).Distinct().Order()];
        double[] values = [.. series.SelectMany(static one => one.Points).Select(static point => point.Y)];
        SvgScale up = SvgScale.Of(values);
        int legend = (series.Count + LegendColumns - 1) / LegendColumns * LegendRow;
        int height = Height + legend;
        double PlaceOf(double at) =>
            Left + ((Width - Left - Right) * (places.Length == 1 ? 0.5 : Array.IndexOf(places, at) / (places.Length - 1.0)));
        double RiseOf(double value) => Height - Bottom - ((Height - Top - Bottom) * up.PartOf(value));

        StringBuilder svg = Begin(title, $"{y} against {x}: {string.Join(", ", series.Select(static one => one.Name))}", height);
        foreach (double tick in up.Ticks)
        {
            Add(svg, $"<line class=\"grid\" x1=\"{Left}\" x2=\"{Width - Right}\" y1=\"{RiseOf(tick):0.#}\" y2=\"{RiseOf(tick):0.#}\"/>");
            Add(svg, $"<text class=\"soft end\" x=\"{Left - 8}\" y=\"{RiseOf(tick) + 4:0.#}\">{Figure.Plain(tick)}</text>");
        }

        // The places stand at equal distances: what is swept doubles from one to the next, and may begin at zero.
        foreach (double place in places)
        {
            Add(svg, $"<text class=\"soft middle\" x=\"{PlaceOf(place):0.#}\" y=\"{Height - Bottom + 20}\">{Figure.Plain(place)}</text>");
        }

        Add(svg, $"<line class=\"axis\" x1=\"{Left}\" x2=\"{Width - Right}\" y1=\"{Height - Bottom}\" y2=\"{Height - Bottom}\"/>");
        Add(svg, $"<text class=\"soft middle\" x=\"{(Left + Width - Right) / 2}\" y=\"{Height - Bottom + 42}\">{Encoded(x)}</text>");
        Add(svg, $"<text class=\"soft\" x=\"16\" y=\"{Top - 8}\">{Encoded(y)}</text>");
        for (int at = 0; at < series.Count; at++) AddSeries(svg, series[at], at, PlaceOf, RiseOf);
        return End(svg);
    }

    /// <summary>Bars from the left, a line each, with their intervals.</summary>
    /// <param name="title">The title.</param>
    /// <param name="x">What their lengths are, with the unit.</param>
    /// <param name="bars">The bars, from above.</param>
    public static string Bars(string title, string x, IReadOnlyList<SvgBar> bars)
    {
        const int row = 26, names = 240;
        SvgScale along = SvgScale.Of([.. bars.Select(static one => one.High), .. bars.Select(static one => one.Value)], logarithmic: false);
        int height = Top + (bars.Count * row) + Bottom;
        double PlaceOf(double value) => names + ((Width - names - Right) * along.PartOf(value));

        StringBuilder svg = Begin(title, $"{x} of {string.Join(", ", bars.Select(static one => one.Name))}", height);
        foreach (double tick in along.Ticks)
        {
            Add(svg, $"<line class=\"grid\" x1=\"{PlaceOf(tick):0.#}\" x2=\"{PlaceOf(tick):0.#}\" y1=\"{Top - 6}\" y2=\"{height - Bottom + 4}\"/>");
            Add(svg, $"<text class=\"soft middle\" x=\"{PlaceOf(tick):0.#}\" y=\"{height - Bottom + 20}\">{Figure.Plain(tick)}</text>");
        }

        for (int at = 0; at < bars.Count; at++)
        {
            SvgBar bar = bars[at];
            double y = Top + (at * row), middle = y + (row / 2.0) - 3;
            Add(svg, $"<text class=\"end\" x=\"{names - 10}\" y=\"{middle + 4:0.#}\">{Encoded(bar.Name)}</text>");
            Add(svg, $"<rect x=\"{names}\" y=\"{y:0.#}\" width=\"{Math.Max(1, PlaceOf(bar.Value) - names):0.#}\" height=\"{row - 6}\" "
                + "style=\"fill: var(--c0)\"/>");
            Add(svg, $"<path d=\"M{PlaceOf(bar.Low):0.#} {middle:0.#}H{PlaceOf(bar.High):0.#}\" style=\"stroke: var(--ink); stroke-width: 2\"/>");
        }

        Add(svg, $"<text class=\"soft middle\" x=\"{(names + Width - Right) / 2}\" y=\"{height - Bottom + 42}\">{Encoded(x)}</text>");
        return End(svg);
    }

    private static void AddSeries(
        StringBuilder svg, SvgSeries series, int at, Func<double, double> placeOf, Func<double, double> riseOf)
    {
        int look = at % s_dashes.Length;
        string stroke = $"fill: none; stroke: var(--c{look}); stroke-width: 2.2; stroke-dasharray: {(s_dashes[look] is { Length: > 0 } dash ? dash : "none")}";
        string path = string.Join(' ', series.Points.Select((point, i) => string.Create(
            CultureInfo.InvariantCulture, $"{(i == 0 ? 'M' : 'L')}{placeOf(point.X):0.#} {riseOf(point.Y):0.#}")));
        Add(svg, $"<path d=\"{path}\" style=\"{stroke}\"/>");
        foreach ((double x, double y) in series.Points) Add(svg, Marker(look, placeOf(x), riseOf(y)));

        double left = Left + (at % LegendColumns * ((Width - Left - Right) / (double)LegendColumns));
        double top = Height + (at / LegendColumns * LegendRow);
        Add(svg, $"<path d=\"M{left:0.#} {top:0.#}h30\" style=\"{stroke}\"/>");
        Add(svg, Marker(look, left + 15, top));
        Add(svg, $"<text x=\"{left + 38:0.#}\" y=\"{top + 4:0.#}\">{Encoded(series.Name)}</text>");
    }

    private static string Marker(int look, double x, double y)
    {
        FormattableString marker = look < 4
            ? $"<circle cx=\"{x:0.#}\" cy=\"{y:0.#}\" r=\"3.6\" style=\"fill: var(--c{look})\"/>"
            : $"<rect x=\"{x - 3.4:0.#}\" y=\"{y - 3.4:0.#}\" width=\"6.8\" height=\"6.8\" style=\"fill: var(--c{look})\"/>";
        return marker.ToString(CultureInfo.InvariantCulture);
    }

    private static StringBuilder Begin(string title, string description, int height)
    {
        var svg = new StringBuilder();
        Add(svg, $"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {Width} {height}\" width=\"{Width}\" height=\"{height}\" role=\"img\" aria-labelledby=\"t d\">");
        Add(svg, $"<title id=\"t\">{Encoded(title)}</title>");
        Add(svg, $"<desc id=\"d\">{Encoded(description)}</desc>");
        svg.Append(Style);
        Add(svg, $"<rect class=\"back\" width=\"{Width}\" height=\"{height}\" rx=\"6\"/>");
        Add(svg, $"<text class=\"title\" x=\"16\" y=\"24\">{Encoded(title)}</text>");
        return svg;
    }

    private static string End(StringBuilder svg) => svg.Append("</svg>\n").ToString();

    private static void Add(StringBuilder svg, FormattableString line) => Add(svg, line.ToString(CultureInfo.InvariantCulture));

    private static void Add(StringBuilder svg, string line) => svg.Append(line).Append('\n');

    private static string Encoded(string text) => WebUtility.HtmlEncode(text);
}
