using System.Globalization;

namespace Raceway.Measuring;

/// <summary>What a document quotes of a run: medians with their intervals, the machine, the commit and the command.</summary>
/// <remarks>
/// A summary is a result file as well, so every command that reads one reads the other. It is a seventh of the size: curves,
/// timelines, layouts, knobs, the figures that documents do not quote, and the line round trips of notes are left out. So are options
/// that could name a folder of the machine.
/// </remarks>
public static class ResultSummary
{
    // Documents quote three digits. Rounding to six first changes none of them by more than the last.
    private const string Digits = "G6";

    private const string NoteEnd = "; ";
    private const string LineNote = "line ";

    private static readonly string[] s_left = ["latency-p90", "latency-p99.9", "latency-max", "cpu", "bandwidth", "mean-batch"];
    private static readonly string[] s_options = ["command", "quick", "peer-packages"];

    // Of several files as one, an option goes by "FILE: OPTION".
    private const string BehindFile = ": ";

    /// <summary>The summary of a run; that of a summary is itself.</summary>
    /// <param name="result">The run.</param>
    public static ResultFile Of(ResultFile result) => result with
    {
        Options = result.Options.Where(static one => s_options.Contains(one.Key.Split(BehindFile)[^1]))
            .OrderBy(static one => one.Key, StringComparer.Ordinal).ToDictionary(static one => one.Key, static one => one.Value),
        Rows = [.. result.Rows.Where(static row => !s_left.Contains(row.Metric)).Select(static row => row with
        {
            Median = Rounded(row.Median), Low = Rounded(row.Low), High = Rounded(row.High), Min = null, Max = null, Knobs = null,
            Note = Shortened(row.Note),
        })],
        Curves = null,
        Timelines = null,
        Layouts = null,
    };

    private static string? Shortened(string? note) =>
        note?.Split(NoteEnd).Where(static part => !part.StartsWith(LineNote, StringComparison.Ordinal)) is { } parts && parts.Any()
            ? string.Join(NoteEnd, parts)
            : null;

    private static double? Rounded(double? value) =>
        value is { } v ? double.Parse(v.ToString(Digits, CultureInfo.InvariantCulture), CultureInfo.InvariantCulture) : null;
}
