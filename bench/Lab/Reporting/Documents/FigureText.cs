using System.Globalization;
using System.Text.RegularExpressions;
using Raceway.Lab.Cli;
using Raceway.Measuring;

namespace Raceway.Lab.Reporting.Documents;

/// <summary>Fills the figures of one result file into the templates of a page.</summary>
/// <remarks>
/// A figure is <c>{case | contestant | metric}</c>, as reports show it: throughput in millions, times in the unit that fits. A form
/// behind it changes that: <c>range</c> is the 95 % interval, <c>rate</c> a throughput as <c>8,758</c>, <c>291 k</c> or <c>8.95 M</c>,
/// <c>percent</c> a share, <c>count</c> a whole number. <c>over NAME</c> is how many times the figure of NAME it is, and <c>over NAME range</c> the interval of that.
/// <c>standing</c> is how it stands beside the best of the others, as <c>4.02× [3.10–4.50] `channel`</c>: how many times as fast it is, by the
/// first metric of the case, whatever metric is named.
/// <c>mark TEXT</c> is <c>, TEXT</c> if the row's note says so. <c>note</c> is the note up to its first parenthesis or colon.
/// <c>{commit}</c>, <c>{measured}</c>, <c>{machine}</c> and <c>{command}</c> are those of the run.
/// </remarks>
/// <param name="file">The result file.</param>
/// <param name="where">The page and the file, for errors.</param>
internal sealed partial class FigureText(ResultFile file, string where)
{
    private const string Ratio = "ratio";
    private const string OverForm = "over ";
    private const string MarkForm = "mark ";
    private const string RangeEnd = " range";
    private const int CommitLength = 7;

    /// <summary>The template with its figures.</summary>
    /// <param name="template">Text with figures in braces.</param>
    /// <param name="row">What a star stands for.</param>
    public string Fill(string template, string row) =>
        Field().Replace(template, match => Of([.. match.Groups[1].Value.Replace("*", row, StringComparison.Ordinal).Split('|', StringSplitOptions.TrimEntries)]));

    /// <summary>An error of a marker of this page.</summary>
    /// <param name="what">What is wrong, as the end of a sentence that begins with the marker.</param>
    public ToolException Wrong(string what) => new($"{where}: the marker {what}.", ExitCode.Usage);

    private string Of(string[] parts) => parts switch
    {
        ["commit"] => file.Commit is { Length: >= CommitLength } commit ? commit[..CommitLength] : Figure.None,
        ["measured"] => file.Measured?.ToString("yyyy-MM-dd", CultureInfo.InvariantCulture) ?? Figure.None,
        ["machine"] => $"{file.Machine.UsableCores} {(file.Machine.UsableCores == 1 ? "core" : "cores")} of {file.Machine.Cpu}, {file.Machine.Runtime}",
        ["command"] => file.Options.GetValueOrDefault(ResultOptions.Command, Figure.None),
        [var of, var contestant, var metric] => Plain(Row(of, contestant, metric)),
        [var of, var contestant, var metric, var form] => Formed(Row(of, contestant, metric), form),
        _ => throw Wrong($"has a figure of {parts.Length} parts, {{{string.Join(" | ", parts)}}}, but it takes {{case | contestant | metric | form}}"),
    };

    private string Formed(ResultRow row, string form) => form switch
    {
        "range" => row is { Low: { } low, High: { } high } ? Range(row, low, high) : Figure.None,
        "rate" => row.Median is { } rate ? Rate(rate) : Figure.None,
        "percent" => row.Median is { } share ? $"{share.ToString("0", CultureInfo.InvariantCulture)} %" : Figure.None,
        "count" => row.Median is { } count ? Figure.Count((long)count) : Figure.None,
        "standing" => Beside(row),
        "note" => Remark().Match(row.Note ?? "").Value.TrimEnd(),
        _ when form.StartsWith(OverForm, StringComparison.Ordinal) => Over(row, form[OverForm.Length..]),
        _ when form.StartsWith(MarkForm, StringComparison.Ordinal) =>
            row.Note?.Contains(form[MarkForm.Length..], StringComparison.Ordinal) == true ? $", {form[MarkForm.Length..]}" : "",
        _ => throw Wrong($"has the form '{form}', but forms are range, rate, percent, count, standing, note, over NAME, over NAME range and mark TEXT"),
    };

    private static string Plain(ResultRow row) => row.Median is { } median ? Metrics.Text(row.Metric, row.Unit, median) : Figure.None;

    // Both ends in the unit of the upper one.
    private static string Range(ResultRow row, double low, double high)
    {
        if (row.Unit != "ns") return Figure.Range(low / Metrics.ScaleOf(row.Metric), high / Metrics.ScaleOf(row.Metric));
        string[] upper = Figure.Time(high).Split(' ');
        double scale = upper[1] switch { "s" => 1e9, "ms" => 1e6, "µs" => 1e3, _ => 1 };
        return $"{Figure.Plain(low / scale)}–{upper[0]} {upper[1]}";
    }

    private static string Rate(double value) => value switch
    {
        >= 1e6 => $"{Figure.Plain(value / 1e6)} M",
        >= 1e4 => $"{Figure.Plain(value / 1e3)} k",
        _ => Figure.Plain(value),
    };

    // Ratios of rounds that ran next to each other, where the run has them; otherwise that of the two medians, without an interval.
    private string Over(ResultRow row, string other)
    {
        bool isRange = other.EndsWith(RangeEnd, StringComparison.Ordinal);
        string name = isRange ? other[..^RangeEnd.Length] : other;
        ResultRow against = Row(row.Case, name, row.Metric);
        ResultRow? paired = file.Rows.FirstOrDefault(one => one.Metric == Ratio && one.Contestant == $"{row.Contestant} over {name}"
            && (one.Case == row.Case || one.Case == $"{row.Case} ratios"));
        // A standing says how many times as fast: of a time that is the other way round. It is of the first metric of the case.
        if (paired is not null && Standing.Parse(paired) is not null)
        {
            if (file.Rows.First(one => one.Case == row.Case).Metric != row.Metric) paired = null;
            else if (!Metrics.IsHigherBetter(row.Metric)) paired = paired with { Median = 1 / paired.Median, Low = 1 / paired.High, High = 1 / paired.Low };
        }

        if (isRange) return paired is { Low: { } low, High: { } high } ? $" [{RatioText.Figure(low)}–{RatioText.Figure(high)}]" : "";
        double? ratio = paired?.Median ?? row.Median / against.Median;
        return ratio is { } found ? RatioText.Figure(found) : Figure.None;
    }

    private string Beside(ResultRow row)
    {
        Standing standing = file.Rows.Where(one => one.Case == row.Case).Select(Standing.Parse).OfType<Standing>()
            .FirstOrDefault(one => one.Ours == row.Contestant && !one.IsOurs) ?? throw Wrong($"asks how {row.Contestant} stands in {row.Case}, but the file does not say");
        return $"{RatioText.Figure(standing.Ratio.Median)}× {RatioText.Interval(standing.Ratio)} `{standing.Peer}`";
    }

    private ResultRow Row(string of, string contestant, string metric)
    {
        ResultRow row = file.Rows.FirstOrDefault(row => row.Case == of && row.Contestant == contestant && row.Metric == metric)
            ?? throw Wrong($"asks for {of} | {contestant} | {metric}, but the file {Missing(of, contestant)}");
        return row is { Median: not null, Verified: false } ? throw Wrong($"asks for {of} | {contestant} | {metric}, but the result was wrong") : row;
    }

    private string Missing(string of, string contestant)
    {
        ResultRow[] inCase = [.. file.Rows.Where(row => row.Case == of)];
        if (inCase.Length == 0) return $"has the cases {string.Join(", ", file.Rows.Select(static row => row.Case).Distinct())}";
        ResultRow[] its = [.. inCase.Where(row => row.Contestant == contestant)];
        return its.Length == 0
            ? $"has there {string.Join(", ", inCase.Select(static row => row.Contestant).Distinct())}"
            : $"has there {string.Join(", ", its.Select(static row => row.Metric).Distinct())}";
    }

    [GeneratedRegex(@"\{([^{}]+)\}")]
    private static partial Regex Field();

    [GeneratedRegex(@"^[^(:]*")]
    private static partial Regex Remark();
}
