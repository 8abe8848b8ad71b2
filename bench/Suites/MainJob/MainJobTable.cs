using Raceway.Measuring;

namespace Raceway.Suites.MainJob;

/// <summary>The table of the main job: every contestant's throughput, its latency at a rate that is the same for all, and that at half
/// of its own throughput.</summary>
public sealed class MainJobTable
{
    private readonly Dictionary<string, ContestantRounds> _latency;
    private readonly Dictionary<string, ContestantRounds> _common;

    internal MainJobTable(
        LoadedInput input, CaseResult throughput, CaseResult? latency, CaseResult? common = null, double? commonRate = null)
    {
        Input = input;
        Throughput = throughput;
        Latency = latency;
        Common = common;
        CommonRate = commonRate;
        _latency = latency?.Contestants.ToDictionary(static one => one.Contestant.Name) ?? [];
        _common = common?.Contestants.ToDictionary(static one => one.Contestant.Name) ?? [];
        Entries = [.. throughput.Contestants.Select(EntryOf)];
    }

    /// <summary>The lines it was measured over.</summary>
    public LoadedInput Input { get; }

    /// <summary>The rounds at full speed.</summary>
    public CaseResult Throughput { get; }

    /// <summary>The rounds at half of each one's own speed; absent where it was interrupted before them.</summary>
    public CaseResult? Latency { get; }

    /// <summary>The rounds at <see cref="CommonRate"/>; absent where it was interrupted before them.</summary>
    public CaseResult? Common { get; }

    /// <summary>Lines a second: half of what the slowest contestant can do. Null where that is not known.</summary>
    public double? CommonRate { get; }

    /// <summary>What was measured of them, in that order.</summary>
    public IReadOnlyList<CaseResult> Cases => [.. new[] { Throughput, Common, Latency }.OfType<CaseResult>()];

    /// <summary>One entry for each contestant, in the order given.</summary>
    public IReadOnlyList<MainJobEntry> Entries { get; }

    /// <summary>Whether a run did not return.</summary>
    public bool IsAbandoned =>
        Cases.SelectMany(static one => one.Contestants).Any(static one => one.IsAbandoned);

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

            foreach (CaseResult? paced in new[] { Common, Latency })
                rows.AddRange(paced?.Rows.Where(static row => row.Metric.StartsWith("latency", StringComparison.Ordinal)) ?? []);
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
        string name = one.Contestant.Name;
        IReadOnlyList<Round> paced = _latency.TryGetValue(name, out ContestantRounds? found) ? found.Rounds : [];
        IReadOnlyList<Round> common = _common.TryGetValue(name, out ContestantRounds? alike) ? alike.Rounds : [];
        return new MainJobEntry
        {
            Name = name,
            Setting = (one.Contestant as LineRounds)?.Line.Setting,
            BusyThreads = one.Contestant.BusyThreads,
            Failure = one.Failure,
            Note = NoteOf(one, alike, found),
            Verified = one.Verified && paced.Concat(common).All(static round => round.Sample.Verified),
            Rate = Over(one.Rounds, static sample => sample.Rate),
            Megabytes = Over(one.Rounds, sample => sample.Rate * megabytesPerLine),
            CpuSeconds = Over(one.Rounds, sample => sample.CpuSeconds / sample.Operations * passes),
            Allocated = Over(one.Rounds, static sample => (double)sample.AllocatedBytes / sample.Operations),
            MeanBatch = Over(one.Rounds, static sample => sample.MeanBatch),
            LatencyMedian = Over(paced, static sample => sample.Latency?.ValueAt(0.5) ?? double.NaN),
            Latency99 = Over(paced, static sample => sample.Latency?.ValueAt(0.99) ?? double.NaN),
            CommonMedian = Over(common, static sample => sample.Latency?.ValueAt(0.5) ?? double.NaN),
            Common99 = Over(common, static sample => sample.Latency?.ValueAt(0.99) ?? double.NaN),
        };
    }

    private static string? NoteOf(ContestantRounds fast, params ReadOnlySpan<ContestantRounds?> paced)
    {
        List<string> notes = [];
        if (fast.Note is { } known) notes.Add(known);
        foreach (ContestantRounds? one in paced)
        {
            if (one?.Failure is { } failure) notes.Add($"latency {failure}");
            else if (one?.Note is { } note) notes.Add($"latency: {note}");
        }

        return notes.Count == 0 ? null : string.Join("; ", notes.Distinct());
    }

    private static MedianInterval? Over(IReadOnlyList<Round> rounds, Func<Sample, double> figure) =>
        rounds.Count == 0 ? null : Statistics.Interval(rounds.Select(round => figure(round.Sample)));
}
