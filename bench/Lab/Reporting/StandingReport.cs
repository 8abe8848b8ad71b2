using System.Globalization;
using Raceway.Measuring;

namespace Raceway.Lab.Reporting;

/// <summary>The answer of a comparison: ahead, level, behind or not judged, in how many cases and by how much; and a chart of it.</summary>
internal static class StandingReport
{
    // Beyond, a sentence is a list.
    private const int MostNamed = 5;
    private const double FarApart = 50;

    /// <summary>How all that is compared is measured.</summary>
    public static ReportText Method { get; } = new(
        "Figures are medians of interleaved rounds in one process, with the 95 % interval of the median. Count, sum and order "
        + "are checked with each round. A ratio in the answer is the median of those of rounds that ran next to each other; a column of a table that is over one contestant divides "
        + "medians. Of fewer than six rounds the interval is their least and their largest figure.");

    /// <summary>Whether a row is that of a standing.</summary>
    public static bool IsStanding(ResultRow row) => Standing.Parse(row) is not null;

    /// <summary>The sentences and the chart; nothing where no row is that of a standing.</summary>
    /// <param name="rows">All rows of the run: they also say where ours has no figure.</param>
    public static IReadOnlyList<ReportPart> Of(IReadOnlyList<ResultRow> rows)
    {
        Standing[] all = [.. rows.Select(Standing.Parse).OfType<Standing>()];
        Standing[] peers = [.. all.Where(static one => !one.IsOurs)];
        return
        [
            .. all.GroupBy(static one => (one.Ours, Against: one.IsOurs ? one.Peer : null))
                .Select(same => new ReportText(Sentence([.. same]) + (same.Key.Against is null ? Without(rows, same.Key.Ours) : ""), IsResult: true)),
            .. peers.Length > 1 ? [Bars(peers)] : Array.Empty<ReportPart>(),
        ];
    }

    /// <summary>What several cases say of one of ours, beside the best of the others in each.</summary>
    public static string Sentence(IReadOnlyList<Standing> standings)
    {
        Standing first = standings[0];
        string other = first.IsOurs ? first.Peer : "the best of the others";
        if (standings is [var only])
            return $"{only.Case}: {only.Ours} is {RatioText.Compared(only.Ratio, only.Peer)}{(only.Peers > 1 ? $", the best of {only.Peers} others" : "")}.";
        Standing[] ahead = [.. standings.Where(static one => one.IsAhead)];
        Standing[] level = [.. standings.Where(static one => one.IsLevel)];
        Standing[] behind = [.. standings.Where(static one => one.IsBehind).OrderBy(static one => one.Ratio.Median)];
        Standing[] open = [.. standings.Where(static one => !one.IsJudged)];
        var parts = new List<string>();
        if (ahead.Length > 0) parts.Add($"ahead of {other} in {ahead.Length} of {standings.Count} cases{Range(ahead)}");
        if (level.Length > 0) parts.Add($"level with {(parts.Count > 0 ? "it" : other)} in {level.Length} ({Names(level, static one => one.Case)})");
        if (behind.Length > 0)
        {
            parts.Add(
                $"behind {(parts.Count > 0 ? "it" : other)} in {behind.Length} "
                + $"({Names(behind, static one => $"{one.Case}: {RatioText.Times(one.Ratio.Median)} {RatioText.Interval(one.Ratio)} as fast{(one.IsOurs ? "" : $" as {one.Peer}")}")})");
        }

        if (open.Length > 0)
        {
            parts.Add(
                $"not judged in {open.Length}, of too few rounds "
                + $"({Names(open, static one => $"{one.Case}: {RatioText.Times(one.Ratio.Median)} as fast{(one.IsOurs ? "" : $" as {one.Peer}")} in {RatioText.Rounds(one.Ratio.Rounds)}")})");
        }

        return $"{first.Ours} is {string.Join("; ", parts)}.";
    }

    // Where it has failed or was wrong, and another one has a figure.
    private static string Without(IReadOnlyList<ResultRow> rows, string ours)
    {
        string[] cases =
        [
            .. rows.GroupBy(static row => row.Case)
                .Where(one => one.Any(row => row.Contestant == ours) && !one.Any(row => row.Contestant == ours && HasFigure(row)) && one.Any(HasFigure))
                .Select(static one => one.Key),
        ];
        return cases.Length == 0 ? "" : $" It has no figure in {Figure.Count(cases.Length)} ({Names(cases, static one => one)}).";

        static bool HasFigure(ResultRow row) => row is { Verified: true, Median: not null };
    }

    private static string Range(Standing[] ahead)
    {
        string least = RatioText.Figure(ahead.Min(static one => one.Ratio.Median)), most = RatioText.Figure(ahead.Max(static one => one.Ratio.Median));
        return least == most ? $", {most} times as fast" : $", {least} to {most} times as fast";
    }

    private static string Names<T>(T[] some, Func<T, string> name) =>
        string.Join(", ", some.Take(MostNamed).Select(name)) + (some.Length > MostNamed ? $", and {some.Length - MostNamed} more" : "");

    private static ReportBars Bars(Standing[] all)
    {
        bool isLog = all.Max(static one => one.Ratio.High) / all.Min(static one => one.Ratio.Low) > FarApart;
        // What is left out is where ours is the furthest ahead.
        string left = all.Length > BarsReport.Most ? $", the last {BarsReport.Most} of {all.Length}" : "";
        return new ReportBars(
            $"how many times as fast as the best of the others, with the 95 % interval; 1 is level{left}{(isLog ? "; logarithmic" : "")}",
            isLog,
            [.. all.OrderByDescending(static one => one.Ratio.Median).TakeLast(BarsReport.Most).Select(Bar)])
        {
            Of = "case",
        };
    }

    private static ReportBar Bar(Standing one) => new(
        one.Case, one.Ratio.Median, one.Ratio.Low, one.Ratio.High,
        $"{RatioText.Figure(one.Ratio.Median)} ({(one.IsJudged ? $"{RatioText.Figure(one.Ratio.Low)}–{RatioText.Figure(one.Ratio.High)}" : RatioText.Rounds(one.Ratio.Rounds))}) {one.Peer}",
        IsOurs: true);
}
