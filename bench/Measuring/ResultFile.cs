using System.Text.Json;

namespace Raceway.Measuring;

/// <summary>One measuring run as written by <c>--json</c>: what ran, where, with which options, and the rows.</summary>
public sealed record ResultFile
{
    /// <summary>The name of the tool that writes result files.</summary>
    public const string ToolName = "raceway";

    /// <summary>The name of the tool.</summary>
    public string Tool { get; init; } = ToolName;

    /// <summary>The version of the tool.</summary>
    public required string Version { get; init; }

    /// <summary>The commit that the tool was built from, where known.</summary>
    public string? Commit { get; init; }

    /// <summary>When it was measured, where known.</summary>
    public DateTimeOffset? Measured { get; init; }

    /// <summary>The machine it ran on.</summary>
    public required MachineCard Machine { get; init; }

    /// <summary>What was run, such as <c>ring</c>.</summary>
    public required string Suite { get; init; }

    /// <summary>The options that the run was given.</summary>
    public IReadOnlyDictionary<string, string> Options { get; init; } = new Dictionary<string, string>();

    /// <summary>The figures.</summary>
    public required IReadOnlyList<ResultRow> Rows { get; init; }

    /// <summary>What is a curve and no figure: percentiles, latency against load, … Absent where none was recorded.</summary>
    public IReadOnlyList<ResultCurve>? Curves { get; init; }

    /// <summary>Where the stages' time went, over time. Absent where none was recorded.</summary>
    public IReadOnlyList<ResultTimeline>? Timelines { get; init; }

    /// <summary>Where fields lie in memory. Absent unless the command was about that.</summary>
    public IReadOnlyList<ResultLayout>? Layouts { get; init; }

    /// <summary>The file's text. A figure that is no number (0 seconds divided by 0) is left out.</summary>
    public string ToJson() => JsonSerializer.Serialize(
        this with { Rows = [.. Rows.Select(Finite)], Curves = Curves?.Select(Finite).ToArray() }, ResultJson.Default.ResultFile);

    /// <summary>The file's text with a line for each row, so that a version control system shows which figures have changed.</summary>
    public string ToLines()
    {
        const string noRows = "\"rows\": []";
        string rows = string.Join(",\n    ", Rows.Select(static row => JsonSerializer.Serialize(Finite(row), ResultJson.OneLine.ResultRow)));
        return (this with { Rows = [] }).ToJson().Replace(noRows, $"\"rows\": [\n    {rows}\n  ]", StringComparison.Ordinal) + "\n";
    }

    /// <summary>Reads what <see cref="ToJson"/> or <see cref="ToLines"/> wrote.</summary>
    /// <exception cref="JsonException">The text is not a result file.</exception>
    public static ResultFile Parse(string json) =>
        JsonSerializer.Deserialize(json, ResultJson.Default.ResultFile)
        ?? throw new JsonException("The file holds no result.");

    /// <summary>Reads a result file.</summary>
    /// <exception cref="JsonException">The file is not a result file.</exception>
    public static ResultFile Load(string path) => Parse(File.ReadAllText(path));

    private static ResultRow Finite(ResultRow row) => row with
    {
        Median = Finite(row.Median),
        Low = Finite(row.Low),
        High = Finite(row.High),
        Min = Finite(row.Min),
        Max = Finite(row.Max),
    };

    private static ResultCurve Finite(ResultCurve curve) =>
        curve with { Points = [.. curve.Points.Where(static point => point.All(double.IsFinite))] };

    private static double? Finite(double? value) => value is { } v && double.IsFinite(v) ? v : null;
}
