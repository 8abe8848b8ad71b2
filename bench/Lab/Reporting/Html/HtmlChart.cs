using System.Text;
using System.Text.Json;

namespace Raceway.Lab.Reporting;

/// <summary>Charts: a place for the drawing, what it shows in words and as a table, and the figures for the script.</summary>
internal static class HtmlChart
{
    /// <summary>The most charts that a page draws; further ones are tables only.</summary>
    public const int Most = 80;

    private const int Digits = 7;

    /// <summary>Appends a chart.</summary>
    public static void Add(HtmlBody body, ReportChart chart)
    {
        string id = body.NextId("chart");
        if (body.Charts.Count >= Most)
        {
            body.Add($"<p>{chart.Summary}</p>\n");
            HtmlTable.Add(body, chart.Table);
            return;
        }

        body.Charts.Add((id, chart));
        body.Add($"""
            <figure class="chart" id="{id}" data-series="{chart.Series.Count(static one => one.Points.Count > 0)}">
            <figcaption id="{id}-caption">{chart.Caption}</figcaption>
            <p id="{id}-summary">{chart.Summary}</p>
            <div class="plot" role="group" tabindex="0" aria-roledescription="chart"
                aria-labelledby="{id}-caption" aria-describedby="{id}-summary"></div>
            <div class="legend"></div>
            <p class="live" aria-live="polite"></p>
            <details><summary>The same as a table</summary>

            """);
        HtmlTable.Add(body, chart.Table);
        body.Add($"</details>\n</figure>\n");
    }

    /// <summary>The figures of all charts as JSON that holds nothing a page could take for markup.</summary>
    public static string Data(IEnumerable<(string Id, ReportChart Chart)> charts)
    {
        using var stream = new MemoryStream();
        using (var json = new Utf8JsonWriter(stream))
        {
            json.WriteStartArray();
            foreach ((string id, ReportChart chart) in charts)
            {
                Write(json, id, chart);
            }

            json.WriteEndArray();
        }

        return Encoding.UTF8.GetString(stream.ToArray());
    }

    private static void Write(Utf8JsonWriter json, string id, ReportChart chart)
    {
        bool isPoints = chart.Kind == ChartKind.Points;
        bool isPercentile = chart.X.Scale == ChartScale.Percentile;
        double[] xs = isPoints
            ? []
            : [.. chart.Series.SelectMany(static one => one.Points).Select(static point => point.X).Distinct().Order()];
        json.WriteStartObject();
        json.WriteString("id", id);
        json.WriteString("kind", Name(chart.Kind));
        Write(json, "x", chart.X);
        Write(json, "y", chart.Y);

        // 90, 99, 99.9 … are evenly spaced by the share that lies above them.
        WriteNumbers(json, "xs", xs.Select(x => (double?)(isPercentile ? 1 / (1 - (x / 100)) : x)));
        json.WriteStartArray("series");
        foreach (ChartSeries one in chart.Series.Where(static one => one.Points.Count > 0))
        {
            json.WriteStartObject();
            json.WriteString("name", one.Name);
            if (isPoints)
            {
                // Two contestants may have the same x: points have their own.
                WriteNumbers(json, "xs", one.Points.Select(static point => (double?)point.X));
                WriteNumbers(json, "ys", one.Points.Select(static point => (double?)point.Y));
            }
            else
            {
                Dictionary<double, double> ys = one.Points.GroupBy(static point => point.X)
                    .ToDictionary(static point => point.Key, static point => point.Last().Y);
                WriteNumbers(json, "ys", xs.Select(x => ys.TryGetValue(x, out double y) ? y : (double?)null));
            }

            if (one.Labels is { } labels)
            {
                json.WriteStartArray("labels");
                foreach (string label in labels) json.WriteStringValue(label);
                json.WriteEndArray();
            }

            json.WriteEndObject();
        }

        json.WriteEndArray();
        json.WriteEndObject();
    }

    private static void Write(Utf8JsonWriter json, string name, ChartAxis axis)
    {
        json.WriteStartObject(name);
        json.WriteString("label", axis.Label);
        json.WriteString("unit", axis.Unit);
        json.WriteString("scale", Name(axis.Scale));
        json.WriteEndObject();
    }

    private static void WriteNumbers(Utf8JsonWriter json, string name, IEnumerable<double?> values)
    {
        json.WriteStartArray(name);
        foreach (double? value in values)
        {
            if (value is { } number && double.IsFinite(number)) json.WriteNumberValue(Rounded(number));
            else json.WriteNullValue();
        }

        json.WriteEndArray();
    }

    // More digits than a reader can see would only make the page longer.
    private static double Rounded(double number) => double.Parse(
        number.ToString($"G{Digits}", System.Globalization.CultureInfo.InvariantCulture),
        System.Globalization.CultureInfo.InvariantCulture);

    private static string Name<T>(T value)
        where T : struct, Enum =>
        value.ToString().ToLowerInvariant();
}
