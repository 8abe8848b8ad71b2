using System.Globalization;

namespace Raceway.Measuring;

/// <summary>Turns rounds into rows.</summary>
internal static class RowBuilder
{
    public static IReadOnlyList<ResultRow> Build(CaseResult result, LineClass? only)
    {
        var rows = new List<ResultRow>();
        foreach (ContestantRounds one in result.Contestants)
        {
            if (one.Failure is not null)
            {
                if (only is null) rows.Add(Empty(result, one, one.Failure));
                continue;
            }

            Round[] rounds = [.. one.Rounds.Where(r => only is null || result.ClassOf(r) == only)];
            string? behind = one.FallsBehind ? "does not keep up" : null;
            string? note = Joined(Joined(Joined(one.Contestant.Note, behind), one.Note), result.Note);
            if (rounds.Length > 0) AddFigures(rows, result, one, rounds, note);
            else if (only is null) rows.Add(Empty(result, one, Joined("no round was finished", note)));
        }

        return rows;
    }

    /// <summary>More busy threads than cores.</summary>
    public static bool IsOversubscribed(IContestant contestant) => contestant.BusyThreads > Environment.ProcessorCount;

    private static void AddFigures(
        List<ResultRow> rows, CaseResult result, ContestantRounds one, Round[] rounds, string? notes)
    {
        string? note = Joined(LineNote(result, rounds), notes);

        void Add(string metric, string unit, Func<Sample, double> figure)
        {
            MedianInterval interval = Statistics.Interval(rounds.Select(r => figure(r.Sample)));
            rows.Add(new ResultRow
            {
                Case = result.Name,
                Contestant = one.Contestant.Name,
                Metric = metric,
                Unit = unit,
                Median = interval.Median,
                Low = interval.Low,
                High = interval.High,
                Min = interval.Min,
                Max = interval.Max,
                Rounds = interval.Rounds,
                Verified = rounds.All(static r => r.Sample.Verified),
                Oversubscribed = IsOversubscribed(one.Contestant),
                Note = note,
                Knobs = one.Contestant.Knobs,
            });
        }

        if (result.Metric == MetricKind.Latency)
        {
            // Every round's own percentile: an interval over rounds is honest, one over messages would not be.
            foreach ((string metric, _) in Figures.Percentiles) Add(metric, "ns", s => Figures.Of(result, metric, s));

            // Where items arrive at a given rate this says whether it was held.
            Add(Figures.Throughput, "events/s", static s => s.Rate);
        }
        else
        {
            (string metric, string unit) = Figures.Heading(result.Metric);
            Add(metric, unit, result.Headline);
        }

        Add(Figures.Allocated, "B/event", s => Figures.Of(result, Figures.Allocated, s));
        Add("cpu", "s", static s => s.CpuSeconds);
        if (rounds.Any(static r => r.Sample.MeanBatch > 0)) Add("mean-batch", "events", static s => s.MeanBatch);
        foreach (Count count in rounds[0].Sample.Counts ?? []) Add(count.Metric, count.Unit, s => Figures.Of(result, count.Metric, s));
    }

    private static ResultRow Empty(CaseResult result, ContestantRounds one, string? note)
    {
        (string metric, string unit) = Figures.Heading(result.Metric);
        return new ResultRow
        {
            Case = result.Name,
            Contestant = one.Contestant.Name,
            Metric = metric,
            Unit = unit,
            Oversubscribed = IsOversubscribed(one.Contestant),
            Note = note,
            Knobs = one.Contestant.Knobs,
        };
    }

    // "line 312 ns, far", or where the classes changed "line 104-318 ns: 7 far (median 5.1E8), 2 near (median 6.0E8)".
    private static string? LineNote(CaseResult result, Round[] rounds)
    {
        double[] readings = [.. rounds.SelectMany(static r => new[] { r.LineBefore, r.LineAfter }).OfType<double>()];
        if (readings.Length == 0) return null;

        IGrouping<LineClass, Round>[] classes =
            [.. rounds.GroupBy(result.ClassOf).OrderByDescending(static g => g.Count())];
        if (classes.Length == 1)
        {
            return Text($"line {Statistics.Median(readings):0} ns, {classes[0].Key.Name()}");
        }

        double MedianOf(IEnumerable<Round> some) => Statistics.Median(some.Select(r => result.Headline(r.Sample)));

        IEnumerable<string> parts =
            classes.Select(g => Text($"{g.Count()} {g.Key.Name()} (median {MedianOf(g):G3})"));
        return Text($"line {readings.Min():0}-{readings.Max():0} ns: ") + string.Join(", ", parts);
    }

    private static string? Joined(string? a, string? b) => a is null ? b : b is null ? a : $"{a}; {b}";

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
