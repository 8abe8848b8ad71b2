namespace Raceway.Lab.Reporting;

/// <summary>Bars with intervals: a table with a middle column that is drawn. It needs no script.</summary>
internal static class HtmlBars
{
    private const double Width = 400;
    private const double Middle = 10;

    /// <summary>Appends the bars.</summary>
    public static void Add(HtmlBody body, ReportBars bars)
    {
        string id = body.NextId("bars");
        body.Add($"""
            <div class="wide" role="region" aria-labelledby="{id}" tabindex="0"><table class="bars">
            <caption id="{id}"><span>{bars.Caption}</span></caption>
            <thead><tr><th scope="col">{bars.Of}</th><th scope="col"><span class="hidden">drawn</span></th>
            <th scope="col">figure (95 %)</th></tr></thead>
            <tbody>

            """);
        var scale = BarScale.Of(bars);
        foreach (ReportBar bar in bars.Bars)
        {
            body.Add($"<tr class=\"{(bar.IsOurs ? "ours" : "theirs")}\"><th scope=\"row\">{bar.Name}</th><td>");
            if (bar.Value is { } value)
            {
                AddDrawing(body, bars.IsLog, scale.Of(value), scale.Of(bar.Low), scale.Of(bar.High));
            }

            body.Add($"</td><td>{bar.Text}</td></tr>\n");
        }

        body.Add($"</tbody></table></div>\n");
    }

    private static void AddDrawing(HtmlBody body, bool isPoint, double at, double low, double high)
    {
        double x = at * Width, from = low * Width, to = high * Width;
        body.Add($"<svg class=\"bar\" viewBox=\"0 0 {Width} 20\" preserveAspectRatio=\"none\" aria-hidden=\"true\">");
        if (isPoint) body.Add($"<rect class=\"mark\" x=\"{x - 3}\" y=\"4\" width=\"6\" height=\"12\"/>");
        else body.Add($"<rect class=\"mark\" x=\"0\" y=\"3\" width=\"{x}\" height=\"14\"/>");

        // The interval: a line with an end on both sides.
        body.Add($"<rect class=\"interval\" x=\"{from}\" y=\"{Middle - 1}\" width=\"{Math.Max(to - from, 1)}\" height=\"2\"/>");
        body.Add($"<rect class=\"interval\" x=\"{from}\" y=\"{Middle - 5}\" width=\"1.5\" height=\"10\"/>");
        double end = Math.Max(to - 1.5, 0);
        body.Add($"<rect class=\"interval\" x=\"{end}\" y=\"{Middle - 5}\" width=\"1.5\" height=\"10\"/></svg>");
    }
}
