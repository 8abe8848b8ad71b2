using System.Globalization;
using System.Net;
using System.Text;
using System.Text.RegularExpressions;

namespace Raceway.Lab.Reporting;

/// <summary>A series of a line plot.</summary>
/// <param name="Name">Its name in the legend.</param>
/// <param name="Points">Its points, by rising x.</param>
internal sealed record SvgSeries(string Name, IReadOnlyList<(double X, double Y)> Points);

/// <summary>Line and bar plots as SVG files: for documents, so they follow the reader's light or dark setting.</summary>
/// <remarks>
/// An image in a page cannot take the page's colours, but it is asked for the reader's scheme itself. Series differ by colour,
/// by dash and by marker. The figure carries its title and a description for screen readers.
/// </remarks>
internal static partial class SvgPlot
{
    private const int Width = 760;
    private const int Left = 84, Right = 24, Top = 56, Bottom = 58;
    private const int Height = 400;
    private const int LegendRow = 20, LegendColumns = 3, LongName = 22;
    private const int BarRow = 26, LeastNames = 110, MostNames = 330;

    // As wide as most letters are, in the widest of the usual fonts.
    private const int Letter = 8;
    private const double PointWidth = 6;

    /// <summary>How many series of a plot look different.</summary>
    public const int Looks = 8;

    // The look of bars that are not ours: grey.
    private const int Others = 6;

    // Okabe and Ito's colours, which colour-blind readers tell apart, the dark ones lightened for a dark page.
    private const string Style = """
        <style>
        svg { --ink: #1f2328; --soft: #59636e; --grid: #d8dee4; --back: #ffffff;
          --c0: #0072b2; --c1: #d55e00; --c2: #007a5a; --c3: #a0447c;
          --c4: #8a6d00; --c5: #3a7ca5; --c6: #555555; --c7: #b03030; }
        @media (prefers-color-scheme: dark) {
          svg { --ink: #f0f6fc; --soft: #9198a1; --grid: #3d444d; --back: #0d1117;
            --c0: #56b4e9; --c1: #f39c54; --c2: #2fc799; --c3: #e39ac4;
            --c4: #f0e442; --c5: #9ccbe8; --c6: #bbbbbb; --c7: #ff8f8f; } }
        text { font: 13px system-ui, sans-serif; fill: var(--ink); }
        .title { font-size: 15px; font-weight: 600; } .soft { fill: var(--soft); }
        .grid { stroke: var(--grid); } .axis { stroke: var(--soft); } .back { fill: var(--back); }
        .interval { stroke: var(--ink); stroke-width: 2; } .way { fill: none; stroke-width: 2.2; }
        .end { text-anchor: end; } .middle { text-anchor: middle; }
        </style>

        """;

    private static readonly string[] s_dashes = ["none", "7 4", "2 3", "9 3 2 3"];

    /// <summary>Lines over places at equal distances; upwards from zero, or in powers of ten where values span many.</summary>
    /// <param name="title">The title.</param>
    /// <param name="x">What is along, with its unit.</param>
    /// <param name="y">What is upwards, with its unit.</param>
    /// <param name="series">The lines; eight at most are told apart.</param>
    public static string Lines(string title, string x, string y, IReadOnlyList<SvgSeries> series)
    {
        double[] places = [.. series.SelectMany(static one => one.Points).Select(static point => point.X).Distinct().Order()];
        SvgScale up = SvgScale.Of([.. series.SelectMany(static one => one.Points).Select(static point => point.Y)]);
        int columns = series.Any(static one => one.Name.Length > LongName) ? LegendColumns - 1 : LegendColumns;
        int legend = (series.Count + columns - 1) / columns * LegendRow;
        double PlaceOf(double at) => places.Length < 2
            ? (Left + Width - Right) / 2.0
            : Left + ((Width - Left - Right) * Array.IndexOf(places, at) / (places.Length - 1.0));
        double RiseOf(double value) => Height - Bottom - ((Height - Top - Bottom) * up.PartOf(value));

        StringBuilder svg = Begin(
            title, $"{y} against {x}: {string.Join(", ", series.Select(static one => one.Name))}", Height + legend);
        foreach (double tick in up.Ticks)
        {
            Line(svg, "grid", Left, RiseOf(tick), Width - Right, RiseOf(tick));
            Text(svg, "soft end", Left - 8, RiseOf(tick) + 4, Mark(tick));
        }

        // What is swept doubles from one place to the next, and may begin at zero: no scale has room for all of that.
        foreach (double place in places) Text(svg, "soft middle", PlaceOf(place), Height - Bottom + 20, Mark(place));
        Line(svg, "axis", Left, Height - Bottom, Width - Right, Height - Bottom);
        Text(svg, "soft middle", (Left + Width - Right) / 2.0, Height - Bottom + 42, x);
        Text(svg, "soft", 16, Top - 11, y);
        for (int at = 0; at < series.Count; at++) AddSeries(svg, series[at], at, columns, PlaceOf, RiseOf);
        return End(svg);
    }

    /// <summary>
    /// Bars from the left, a line each, with their intervals and figures: ours in a colour of their own. Points in powers of ten where
    /// the figures lie far apart. What was not measured is left out.
    /// </summary>
    /// <param name="title">The title.</param>
    /// <param name="chart">The bars, from above.</param>
    /// <param name="mark">Writes a figure of the axis, as the bars' own are written.</param>
    public static string Bars(string title, ReportBars chart, Func<double, string> mark)
    {
        ReportBar[] bars = [.. chart.Bars.Where(static one => one.Value is { } value && double.IsFinite(value)).Select(Drawn)];
        SvgScale scale = SvgScale.Of(
            [.. bars.SelectMany(static one => new[] { one.Value!.Value, one.High, one.Low }).Where(value => value > 0 || !chart.IsLog)], chart.IsLog);
        int height = Top + (bars.Length * BarRow) + Bottom;
        int start = Math.Clamp((bars.Select(static one => one.Name.Length).DefaultIfEmpty().Max() * Letter) + 26, LeastNames, MostNames);
        int end = Width - (bars.Select(static one => one.Text.Length).DefaultIfEmpty().Max() * Letter) - 26;
        double PlaceOf(double value) => start + ((end - start) * scale.PartOf(value));

        StringBuilder svg = Begin(title, $"{chart.Along}: {string.Join(", ", bars.Select(static one => $"{one.Name} {one.Text}"))}", height);
        foreach (double tick in scale.Ticks)
        {
            Line(svg, "grid", PlaceOf(tick), Top - 6, PlaceOf(tick), height - Bottom + 4);
            Text(svg, "soft middle", PlaceOf(tick), height - Bottom + 20, tick == 0 ? "0" : NeedlessZeros().Replace(mark(tick), ""));
        }

        for (int at = 0; at < bars.Length; at++)
        {
            ReportBar bar = bars[at];
            int look = bar.IsOurs ? 0 : Others;
            double top = Top + (at * BarRow), middle = top + (BarRow / 2.0) - 3, place = PlaceOf(bar.Value!.Value);
            Text(svg, "end", start - 10, middle + 4, bar.Name);
            if (scale.IsLogarithmic) Rectangle(svg, place - (PointWidth / 2), top + 3, PointWidth, BarRow - 12, look);
            else Rectangle(svg, start, top, Math.Max(1, place - start), BarRow - 6, look);
            Line(svg, "interval", PlaceOf(bar.Low), middle, PlaceOf(bar.High), middle);
            Text(svg, "", end + 12, middle + 4, bar.Text);
        }

        Text(svg, "soft middle", Width / 2.0, height - Bottom + 42, chart.Along);
        return End(svg);
    }

    // An end of an interval that cannot be drawn is the figure itself.
    private static ReportBar Drawn(ReportBar bar) => bar with
    {
        Low = double.IsFinite(bar.Low) ? bar.Low : bar.Value!.Value,
        High = double.IsFinite(bar.High) ? bar.High : bar.Value!.Value,
    };

    private static void AddSeries(
        StringBuilder svg, SvgSeries series, int at, int columns, Func<double, double> placeOf, Func<double, double> riseOf)
    {
        int look = at % Looks;
        Path(svg, look, [.. series.Points.Select(point => (placeOf(point.X), riseOf(point.Y)))]);
        foreach ((double x, double y) in series.Points) Marker(svg, look, placeOf(x), riseOf(y));

        double left = Left + (at % columns * (Width - Left - Right) / columns);
        double top = Height + (at / columns * LegendRow);
        Path(svg, look, [(left, top), (left + 30, top)]);
        Marker(svg, look, left + 15, top);
        Text(svg, "", left + 38, top + 4, series.Name);
    }

    private static void Path(StringBuilder svg, int look, IReadOnlyList<(double X, double Y)> points)
    {
        string way = string.Join('L', points.Select(static point => $"{Number(point.X)} {Number(point.Y)}"));
        string dash = s_dashes[look % s_dashes.Length];
        svg.Append($"<path class=\"way\" d=\"M{way}\" style=\"stroke: var(--c{look}); stroke-dasharray: {dash}\"/>\n");
    }

    // Of eight looks four share a dash with another one: their markers differ.
    private static void Marker(StringBuilder svg, int look, double x, double y)
    {
        if (look >= s_dashes.Length)
        {
            Rectangle(svg, x - 3.4, y - 3.4, 6.8, 6.8, look);
            return;
        }

        svg.Append($"<circle cx=\"{Number(x)}\" cy=\"{Number(y)}\" r=\"3.6\" style=\"fill: var(--c{look})\"/>\n");
    }

    private static void Rectangle(StringBuilder svg, double x, double y, double width, double height, int look) =>
        svg.Append($"<rect x=\"{Number(x)}\" y=\"{Number(y)}\" width=\"{Number(width)}\" height=\"{Number(height)}\" ")
            .Append($"style=\"fill: var(--c{look})\"/>\n");

    private static void Line(StringBuilder svg, string kind, double x1, double y1, double x2, double y2) =>
        svg.Append($"<line class=\"{kind}\" x1=\"{Number(x1)}\" y1=\"{Number(y1)}\" ")
            .Append($"x2=\"{Number(x2)}\" y2=\"{Number(y2)}\"/>\n");

    private static void Text(StringBuilder svg, string kind, double x, double y, string text) =>
        svg.Append($"<text class=\"{kind}\" x=\"{Number(x)}\" y=\"{Number(y)}\">{WebUtility.HtmlEncode(text)}</text>\n");

    private static StringBuilder Begin(string title, string description, int height)
    {
        var svg = new StringBuilder(
            $"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {Width} {height}\" width=\"{Width}\" height=\"{height}\" "
            + "role=\"img\" aria-labelledby=\"t d\">\n");
        svg.Append($"<title id=\"t\">{WebUtility.HtmlEncode(title)}</title>\n");
        svg.Append($"<desc id=\"d\">{WebUtility.HtmlEncode(description)}</desc>\n").Append(Style);
        svg.Append($"<rect class=\"back\" width=\"{Width}\" height=\"{height}\" rx=\"6\"/>\n");
        Text(svg, "title", 16, 24, title);
        return svg;
    }

    private static string End(StringBuilder svg) => svg.Append("</svg>\n").ToString();

    // On an axis a number stands among its like: no more digits than it takes to tell them apart.
    private static string Mark(double value) => value switch
    {
        >= 1e6 => (value / 1e6).ToString("#,0.# M", CultureInfo.InvariantCulture),
        >= 1e4 => (value / 1e3).ToString("0.# k", CultureInfo.InvariantCulture),
        _ => value.ToString("#,0.####", CultureInfo.InvariantCulture),
    };

    // Of a mark such as 2.00, 10.0 or 5.00 µs.
    [GeneratedRegex(@"(?<=\.\d*)0+(?=$| )|\.0+(?=$| )")]
    private static partial Regex NeedlessZeros();

    private static string Number(double value) => value.ToString("0.#", CultureInfo.InvariantCulture);
}
