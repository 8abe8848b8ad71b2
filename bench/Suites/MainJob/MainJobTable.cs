using Raceway.Measuring;

namespace Raceway.Suites.MainJob;

/// <summary>The table of the main job: every contestant's throughput, and its latency at half of that.</summary>
public sealed class MainJobTable
{
    private readonly Dictionary<string, ContestantRounds> _latency;

    internal MainJobTable(LoadedInput input, CaseResult throughput, CaseResult? latency)
    {
        Input = input;
        Throughput = throughput;
        Latency = latency;
        _latency = latency?.Contestants.ToDictionary(static one => one.Contestant.Name) ?? [];
        Entries = [.. throughput.Contestants.Select(EntryOf)];
    }

    /// <summary>The lines it was measured over.</summary>
    public LoadedInput Input { get; }

    /// <summary>The rounds at full speed.</summary>
    public CaseResult Throughput { get; }

    /// <summary>The paced rounds; absent where it was interrupted before them.</summary>
    public CaseResult? Latency { get; }

    /// <summary>One entry for each contestant, in the order given.</summary>
    public IReadOnlyList<MainJobEntry> Entries { get; }

    /// <summary>Whether a run did not return.</summary>
    public bool IsAbandoned =>
        Throughput.Contestants.Concat(Latency?.Contestants ?? []).Any(static one => one.IsAbandoned);

    /// <summary>The rows for <c>--json</c>.</summary>
    public IReadOnlyList<ResultRow> Rows
    {
        get
        {
            var rows = new List<ResultRow>();
            foreach (ResultRow row in Throughput.Rows)
            {
                // Rounds differ in length, so processor time is told for one pass over the input.
                if (row.Metric != "cpu")
                {
                    rows.Add(row);
                    continue;
                }

                MainJobEntry entry = Entries.First(one => one.Name == row.Contestant);
                rows.Add(With(row, "cpu", "s", entry.CpuSeconds!.Value));
                rows.Add(With(row, "bandwidth", "MB/s", entry.Megabytes!.Value));
            }

            rows.AddRange(Latency?.Rows.Where(static row => row.Metric.StartsWith("latency", StringComparison.Ordinal)) ?? []);
            return rows;
        }
    }

    private static ResultRow With(ResultRow row, string metric, string unit, MedianInterval figure) => row with
    {
        Metric = metric,
        Unit = unit,
        Median = figure.Median,
        Low = figure.Low,
        High = figure.High,
        Min = figure.Min,
        Max = figure.Max,
    };

    private MainJobEntry EntryOf(ContestantRounds one)
    {
        double passes = Input.Lines.Length;
        double megabytesPerLine = Input.Bytes / 1e6 / passes;
        IReadOnlyList<Round> paced = _latency.TryGetValue(one.Contestant.Name, out ContestantRounds? found) ? found.Rounds : [];
        return new MainJobEntry
        {
            Name = one.Contestant.Name,
            Setting = (one.Contestant as LineRounds)?.Line.Setting,
            BusyThreads = one.Contestant.BusyThreads,
            Failure = one.Failure,
            Note = NoteOf(one, found),
            Verified = one.Verified && paced.All(static round => round.Sample.Verified),
            Rate = Over(one.Rounds, static sample => sample.Rate),
            Megabytes = Over(one.Rounds, sample => sample.Rate * megabytesPerLine),
            CpuSeconds = Over(one.Rounds, sample => sample.CpuSeconds / sample.Operations * passes),
            Allocated = Over(one.Rounds, static sample => (double)sample.AllocatedBytes / sample.Operations),
            MeanBatch = Over(one.Rounds, static sample => sample.MeanBatch),
            LatencyMedian = Over(paced, static sample => sample.Latency?.ValueAt(0.5) ?? double.NaN),
            Latency99 = Over(paced, static sample => sample.Latency?.ValueAt(0.99) ?? double.NaN),
        };
    }

    private static string? NoteOf(ContestantRounds fast, ContestantRounds? paced)
    {
        string?[] notes = [fast.Note, paced?.Failure is { } failure ? $"latency {failure}" : paced?.Note is { } note ? $"latency: {note}" : null];
        return notes.OfType<string>().ToArray() is { Length: > 0 } known ? string.Join("; ", known) : null;
    }

    private static MedianInterval? Over(IReadOnlyList<Round> rounds, Func<Sample, double> figure) =>
        rounds.Count == 0 ? null : Statistics.Interval(rounds.Select(round => figure(round.Sample)));
}
