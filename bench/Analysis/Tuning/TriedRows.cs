using Raceway.Measuring;

namespace Raceway.Analysis.Tuning;

/// <summary>What is known of choices as rows: a picture of the search, with few short rounds each.</summary>
internal static class TriedRows
{
    public static IReadOnlyList<ResultRow> Of(IEnumerable<Candidate> tried, TuneOptions options, string name = "search") =>
        [.. tried.SelectMany(one => Rows(one, options, name))];

    private static IEnumerable<ResultRow> Rows(Candidate one, TuneOptions options, string name)
    {
        if (one.Failure is { } failure)
            return [Row(one, name, Figures.Throughput, "events/s", []) with { Note = failure }];
        return new[]
        {
            (
                Metric: Figures.Throughput, Unit: "events/s", Of: one.Fast,
                Figure: (Func<Sample, double>)(static sample => sample.Rate)),
            (Figures.Latency99, "ns", one.Paced, static sample => TuneGoal.P99Of(sample) ?? double.NaN),
            ("cpu", "ns/event", one.Paced, static sample => sample.CpuSeconds * 1e9 / sample.Operations),
        }.Where(static row => row.Of.Count > 0).Select(row => Row(one, name, row.Metric, row.Unit, row.Of.Select(row.Figure)) with
        {
            Note = row.Metric == Figures.Throughput ? null
                : FormattableString.Invariant(
                    $"at {options.PacedRate:N0}/s{(row.Metric == Figures.Latency99 ? ", of a typical window" : "")}"),
        });
    }

    private static ResultRow Row(Candidate one, string name, string metric, string unit, IEnumerable<double> figures)
    {
        var row = new ResultRow { Case = name, Contestant = one.Name, Metric = metric, Unit = unit, Knobs = one.Knobs };
        double[] all = [.. figures];
        if (all.Length == 0) return row;
        MedianInterval interval = Statistics.Interval(all);
        return row with
        {
            Median = interval.Median, Low = interval.Low, High = interval.High, Min = interval.Min, Max = interval.Max,
            Rounds = interval.Rounds, Verified = true,
        };
    }
}
