using Raceway.Measuring;

namespace Raceway.Lab.Reporting;

/// <summary>Where the stages' time went: totals with what holds the pipeline up, and a chart over time for each stage.</summary>
internal static class TimelinesReport
{
    private const int MostPoints = 400;
    private const int MostStages = 32;

    private static readonly ReportColumn[] s_columns =
    [
        new("stage", IsFigure: false), new("working"), new("starved"), new("blocked"), new("waking"), new("items"),
        new("mean batch"), new("most behind"),
    ];

    private static readonly (string Name, Func<TimelineSample, double> Seconds)[] s_parts =
    [
        ("working", static sample => sample.Working), ("starved", static sample => sample.Starved),
        ("blocked", static sample => sample.Blocked), ("waking", static sample => sample.Waking),
    ];

    /// <summary>Table, sentence and charts for each contestant of a case.</summary>
    public static IEnumerable<ReportPart> Of(string name, IEnumerable<ResultTimeline> timelines)
    {
        foreach (var run in timelines.Where(static one => one.Samples.Count > 0).GroupBy(static one => one.Contestant))
        {
            ResultTimeline[] stages = [.. run.Take(MostStages)];
            yield return new ReportTable(
                $"{name}, {run.Key}: where the stages' time went", s_columns, [.. stages.Select(Totals)]);
            if (stages.Length > 1)
            {
                yield return new ReportText(Verdict(stages));
            }

            foreach (ResultTimeline stage in stages)
            {
                yield return Chart(name, stage);
            }
        }
    }

    private static string[] Totals(ResultTimeline stage)
    {
        double all = s_parts.Sum(part => stage.Samples.Sum(part.Seconds));
        long batches = stage.Samples.Sum(static sample => sample.Batches);
        long items = stage.Samples.Sum(static sample => sample.Items);
        return
        [
            stage.Stage,
            .. s_parts.Select(part => all > 0 ? $"{Figure.Plain(stage.Samples.Sum(part.Seconds) / all * 100)} %" : Figure.None),
            Figure.Count(items),
            batches > 0 ? Figure.Plain((double)items / batches) : Figure.None,
            Figure.Count(stage.Samples.Max(static sample => sample.Lag)),
        ];
    }

    private static string Verdict(ResultTimeline[] stages)
    {
        double Share(ResultTimeline stage, Func<TimelineSample, double> seconds) =>
            s_parts.Sum(part => stage.Samples.Sum(part.Seconds)) is > 0 and var all ? stage.Samples.Sum(seconds) / all : 0;

        ResultTimeline busiest = stages.MaxBy(stage => Share(stage, static sample => sample.Working))!;
        string waiting = string.Join("; ", stages.Where(stage => stage != busiest).Select(stage =>
        {
            (string most, double share) =
                s_parts.Select(part => (part.Name, Share(stage, part.Seconds))).MaxBy(static one => one.Item2);
            return $"{stage.Stage} is mostly {most} ({share:P0})";
        }));
        return $"The stage that works most is {busiest.Stage} "
            + $"({Share(busiest, static sample => sample.Working):P0} of its time); {waiting}.";
    }

    private static ReportChart Chart(string name, ResultTimeline stage)
    {
        TimelineSample[] samples = Thinned(stage.Samples);
        double[] spans = [.. samples.Select((sample, at) => sample.At - (at == 0 ? 0 : samples[at - 1].At))];

        // Time that is in none of the parts stays white; more than there was (several threads) is scaled down.
        (double, double)[] Shares(Func<TimelineSample, double> seconds) =>
        [
            .. samples.Select((sample, at) =>
            {
                double whole = Math.Max(spans[at], s_parts.Sum(part => part.Seconds(sample)));
                return (sample.At, whole > 0 ? seconds(sample) / whole : 0);
            }),
        ];

        string[] totals = Totals(stage);
        return new ReportChart(
            ChartKind.Stack,
            $"{name}, {stage.Contestant}: stage {stage.Stage} over time",
            $"Stage {stage.Stage}: working {totals[1]}, starved {totals[2]}, blocked {totals[3]}, waking {totals[4]} of "
            + $"{Figure.Plain(samples[^1].At)} s.",
            new ChartAxis("time", "s", ChartScale.Linear),
            new ChartAxis("share of time", "share", ChartScale.Linear),
            [.. s_parts.Select(part => new ChartSeries(part.Name, Shares(part.Seconds)))],
            new ReportTable($"{name}, {stage.Contestant}: stage {stage.Stage} in all", s_columns, [totals]))
        {
            IsInTables = true,
        };
    }

    // As many samples as a chart has room for: neighbours are added up.
    private static TimelineSample[] Thinned(IReadOnlyList<TimelineSample> samples) =>
        samples.Count <= MostPoints
            ? [.. samples]
            : [.. samples.Chunk((samples.Count + MostPoints - 1) / MostPoints).Select(static some => new TimelineSample(
                some[^1].At, some.Sum(static one => one.Working), some.Sum(static one => one.Starved),
                some.Sum(static one => one.Blocked), some.Sum(static one => one.Waking), some.Sum(static one => one.Items),
                some.Sum(static one => one.Batches), some[^1].Lag))];
}
