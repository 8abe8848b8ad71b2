namespace Raceway.Measuring;

/// <summary>What the contestants of one case did: the rows to print and write, and the rounds behind them.</summary>
public sealed class CaseResult
{
    internal CaseResult(
        string name, MetricKind metric, IReadOnlyList<ContestantRounds> contestants, string? note,
        IReadOnlyList<double?>? readings = null)
    {
        Name = name;
        Metric = metric;
        Contestants = contestants;
        Note = note;
        LineReadings = readings ?? [.. contestants.SelectMany(static c => c.Rounds)
            .SelectMany(static r => new[] { r.LineBefore, r.LineAfter })];
    }

    /// <summary>The case.</summary>
    public string Name { get; }

    /// <summary>What its headline figure is.</summary>
    public MetricKind Metric { get; }

    /// <summary>Every contestant with its rounds, in the order given.</summary>
    public IReadOnlyList<ContestantRounds> Contestants { get; }

    /// <summary>Whether a run of a contestant did not return.</summary>
    public bool IsAbandoned => Contestants.Any(static one => one.IsAbandoned);

    /// <summary>That it was stopped early, where it was.</summary>
    public string? Note { get; }

    /// <summary>
    /// All line round trips around the rounds, or of the whole run (<see cref="Among"/>): a fast line is called near only where
    /// slow ones are among them.
    /// </summary>
    public IReadOnlyList<double?> LineReadings { get; }

    /// <summary>The rows over all rounds.</summary>
    public IReadOnlyList<ResultRow> Rows => RowBuilder.Build(this, null);

    /// <summary>The rows over the rounds of one line class only; none where there was no such round.</summary>
    public IReadOnlyList<ResultRow> RowsOf(LineClass line) => RowBuilder.Build(this, line);

    /// <summary>The same result, its rounds classed by the round trips of all cases of the run.</summary>
    public CaseResult Among(IReadOnlyList<double?> readings) => new(Name, Metric, Contestants, Note, readings);

    /// <summary>The class of the lines around a round.</summary>
    public LineClass ClassOf(Round round) => LineRoundTrip.Classify(round.LineBefore, round.LineAfter, LineReadings);

    /// <summary>
    /// The headline figure of a round: operations a second, or the median latency, milliseconds, ns an operation.
    /// </summary>
    public double Headline(Sample sample) => Metric switch
    {
        MetricKind.Latency => sample.Latency?.ValueAt(0.5) ?? double.NaN,
        MetricKind.Time => sample.Seconds * 1e3,
        MetricKind.CpuShare => sample.CpuSeconds / sample.Seconds * 100,
        MetricKind.Overhead => sample.Seconds * 1e9 / sample.Operations,
        _ => sample.Rate,
    };

    /// <summary>
    /// The headline figure of one contestant over that of another, round by round: its median and 95 % interval. An
    /// aim of "at least k times" means <see cref="MedianInterval.Low"/>. <see langword="null"/> where one of the two has
    /// no figure, or a wrong round: what did not do its job is no measure of anything.
    /// </summary>
    /// <param name="contestant">The contestant.</param>
    /// <param name="over">The contestant with the figure that it is divided by.</param>
    /// <param name="line">Only rounds of this line class; all where none is given.</param>
    public MedianInterval? Ratio(string contestant, string over, LineClass? line = null)
    {
        if (Find(contestant) is not { } a || Find(over) is not { } b) return null;
        (Round First, Round Second)[] pairs =
        [
            .. Paired(a.Rounds, b.Rounds)
                .Where(pair => line is null || (ClassOf(pair.First) == line && ClassOf(pair.Second) == line)),
        ];
        return pairs.Length == 0
            ? null
            : Statistics.RatioInterval(
                [.. pairs.Select(p => Headline(p.First.Sample))], [.. pairs.Select(p => Headline(p.Second.Sample))]);
    }

    /// <summary>Rounds of the same index: in one case they ran next to each other.</summary>
    internal static IEnumerable<(Round First, Round Second)> Paired(IEnumerable<Round> a, IEnumerable<Round> b) =>
        a.Join(b, static r => r.Index, static r => r.Index, static (x, y) => (x, y));

    private ContestantRounds? Find(string name) =>
        Contestants.FirstOrDefault(c => c.Verified && c.Contestant.Name == name);
}
