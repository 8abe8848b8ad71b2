using System.Globalization;
using Raceway.Lab.Reporting;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Lab.Watching;

/// <summary>What happened between two snapshots of a pipeline, as tables and lines.</summary>
internal static class WatchTables
{
    private const int BarWidth = 20;

    // Letters tell the parts of a bar apart where colours do not.
    private static readonly (char Letter, Func<StageFigures, double> Share)[] s_parts =
    [
        ('w', static one => one.Working), ('s', static one => one.Starved), ('b', static one => one.Blocked), ('k', static one => one.Waking),
    ];

    /// <summary>The stages as a table, the widest first: with a bar, without it, and the least that says something.</summary>
    public static IReadOnlyList<ReportTable> Stages(string caption, PipelineSnapshot before, PipelineSnapshot now)
    {
        StageFigures[] stages = Figures(before, now);
        ReportColumn[] narrow = [new("stage", IsFigure: false), new("items/s"), new("batch"), new("lag"), new("time goes", IsFigure: false)];
        ReportColumn[] middle = [.. narrow[..4], new("working"), new("starved"), new("blocked"), new("waking")];
        ReportColumn[] wide = [.. middle, new("w s b k: where it goes", IsFigure: false)];
        string[] Least(StageFigures one) => [one.Name, Figure.Plain(one.Rate), Figure.Plain(one.Batch), Figure.Count(one.Lag)];
        string[] Times(StageFigures one) => [.. s_parts.Select(part => Percent(part.Share(one)))];
        return
        [
            new ReportTable(caption, wide, [.. stages.Select(one => (string[])[.. Least(one), .. Times(one), Bar(one)])]),
            new ReportTable(caption, middle, [.. stages.Select(one => (string[])[.. Least(one), .. Times(one)])]),
            new ReportTable(caption, narrow, [.. stages.Select(one => (string[])[.. Least(one), Most(one)])]),
        ];
    }

    /// <summary>How the stages are driven and why; nothing if that is not told.</summary>
    public static IEnumerable<string> Plans(PipelineSnapshot now)
    {
        if (now is { Plan: { } plan, PlanReason: { } reason }) yield return $"plan {plan}: {reason}";
    }

    /// <summary>A line per ring: how full it is, and how long its producers waited.</summary>
    public static IEnumerable<string> Rings(PipelineSnapshot before, PipelineSnapshot now)
    {
        double seconds = Seconds(before, now);
        for (int i = 0; i < now.Rings.Count; i++)
        {
            RingStatistics ring = now.Rings[i];
            double blocked = (ring.Blocked - (before.Rings.ElementAtOrDefault(i)?.Blocked ?? TimeSpan.Zero)).TotalSeconds;
            double full = ring.Capacity == 0 ? 0 : (double)ring.Backlog / ring.Capacity;
            int filled = (int)Math.Round(BarWidth * Math.Clamp(full, 0, 1));
            yield return $"ring {i}: [{new string('#', filled)}{new string('.', BarWidth - filled)}] {Figure.Count(ring.Backlog)} of "
                + $"{Figure.Count(ring.Capacity)} slots; producers waited {Percent(seconds <= 0 ? 0 : Math.Max(0, blocked / seconds))}";
        }
    }

    /// <summary>The same as lines that can be cut into columns.</summary>
    public static IEnumerable<string> Lines(string pipeline, PipelineSnapshot before, PipelineSnapshot now)
    {
        string At(string what) => string.Create(CultureInfo.InvariantCulture, $"{now.At.TotalSeconds,7:0.0} s  {pipeline}  {what}");
        StageFigures[] stages = Figures(before, now);
        int name = stages.Select(static one => one.Name.Length).DefaultIfEmpty().Max();
        foreach (StageFigures one in stages)
        {
            string times = string.Join(
                "  ", s_parts.Zip(["working", "starved", "blocked", "waking"], (part, word) => $"{word} {Percent(part.Share(one)),5}"));
            yield return At($"{one.Name.PadRight(name)}  {Figure.Plain(one.Rate),9}/s  batch {Figure.Plain(one.Batch),6}  lag {Figure.Count(one.Lag),9}  {times}");
        }

        foreach (string ring in Rings(before, now)) yield return At(ring);
    }

    /// <summary>The figures of each stage between the two.</summary>
    public static StageFigures[] Figures(PipelineSnapshot before, PipelineSnapshot now)
    {
        double seconds = Seconds(before, now);
        return [.. now.Stages.Select(stage => StageFigures.Between(
            before.Stages.FirstOrDefault(one => one.Done.Name == stage.Done.Name)?.Done, stage.Done, seconds))];
    }

    private static double Seconds(PipelineSnapshot before, PipelineSnapshot now) => (now.At - before.At).TotalSeconds;

    private static string Percent(double share) => share.ToString("0 %", CultureInfo.InvariantCulture);

    private static string Most(StageFigures one)
    {
        (char letter, double share) = s_parts.Select(part => (part.Letter, Share: part.Share(one))).MaxBy(static part => part.Share);
        string word = letter switch { 'w' => "working", 's' => "starved", 'b' => "blocked", _ => "waking" };
        return share <= 0 ? Figure.None : $"{word} {Percent(share)}";
    }

    private static string Bar(StageFigures one)
    {
        double total = s_parts.Sum(part => part.Share(one));
        if (total <= 0) return "";
        // Ends are rounded, not lengths: so they add up.
        var bar = new char[BarWidth];
        double sum = 0;
        int at = 0;
        foreach ((char letter, Func<StageFigures, double> share) in s_parts)
        {
            sum += share(one) / total;
            for (int end = (int)Math.Round(sum * BarWidth); at < Math.Min(end, BarWidth); at++) bar[at] = letter;
        }

        while (at < BarWidth) bar[at++] = s_parts[^1].Letter;
        return new string(bar);
    }
}

/// <summary>What a stage did in an interval.</summary>
/// <param name="Name">The stage.</param>
/// <param name="Rate">Items a second.</param>
/// <param name="Batch">Items a batch.</param>
/// <param name="Lag">Items published and not passed, at the end.</param>
/// <param name="Working">Share of its time.</param>
/// <param name="Starved">Share of its time.</param>
/// <param name="Blocked">Share of its time.</param>
/// <param name="Waking">Share of its time.</param>
internal sealed record StageFigures(
    string Name, double Rate, double Batch, long Lag, double Working, double Starved, double Blocked, double Waking)
{
    /// <summary>The difference of two snapshots.</summary>
    public static StageFigures Between(StageStatistics? then, StageStatistics now, double seconds)
    {
        long items = Math.Max(0, now.Items - (then?.Items ?? 0));
        long batches = Math.Max(0, now.Batches - (then?.Batches ?? 0));
        double working = Since(then?.Working, now.Working), starved = Since(then?.Starved, now.Starved);
        double blocked = Since(then?.Blocked, now.Blocked), waking = Since(then?.Waking, now.Waking);
        double total = working + starved + blocked + waking;
        double Share(double part) => total <= 0 ? 0 : part / total;
        return new StageFigures(
            now.Name, seconds <= 0 ? 0 : items / seconds, batches == 0 ? 0 : (double)items / batches, now.Lag,
            Share(working), Share(starved), Share(blocked), Share(waking));
    }

    private static double Since(TimeSpan? then, TimeSpan now) => Math.Max(0, (now - (then ?? TimeSpan.Zero)).TotalSeconds);
}
