using System.Text.RegularExpressions;

namespace Raceway.Measuring;

/// <summary>How ours stands beside the best of the others in a case: ahead of it, level with it, or behind it.</summary>
/// <remarks>
/// It compares rounds that ran next to each other. More is better: of latencies and other costs the ratio is theirs over ours.
/// Level means that the 95 % interval of the ratio holds 1: no difference is shown. Of one round none of the three is said.
/// </remarks>
/// <param name="Case">The case.</param>
/// <param name="Ours">Our contestant.</param>
/// <param name="Peer">The best of the others by its median.</param>
/// <param name="Peers">Of how many it is the best.</param>
/// <param name="Ratio">How many times as fast ours is.</param>
public sealed partial record Standing(string Case, string Ours, string Peer, int Peers, MedianInterval Ratio)
{
    /// <summary>What a user gets without settings.</summary>
    public const string Default = "raceway/default";

    private const string Single = "raceway/single";
    private const string Family = "raceway/";
    private const string Metric = "ratio";
    private const string Over = " over ";
    private const string TooFew = "too few rounds";

    // No products: the bare machine, and threads that hand nothing over.
    private static readonly string[] s_limits = ["raw", "body-alone", "by-hand/", "one-thread", "two-threads", "thread-per-core", "cached-task-", "hammer", "payload"];

    /// <summary>Whether there are rounds enough to say how it stands.</summary>
    public bool IsJudged => RatioText.CanBeJudged(Ratio);

    /// <summary>Whether no difference is shown, although there are rounds enough.</summary>
    public bool IsLevel => IsJudged && !RatioText.ShowsDifference(Ratio);

    /// <summary>Whether ours is faster.</summary>
    public bool IsAhead => RatioText.ShowsDifference(Ratio) && Ratio.Low > 1;

    /// <summary>Whether ours is slower.</summary>
    public bool IsBehind => RatioText.ShowsDifference(Ratio) && Ratio.High < 1;

    /// <summary>Whether the other is one of ours as well.</summary>
    public bool IsOurs => Peer.StartsWith(Family, StringComparison.Ordinal);

    /// <summary>The standings in a case: beside the best of the others, and beside a message at a time.</summary>
    /// <param name="result">What was measured.</param>
    /// <param name="ours">Our contestant.</param>
    public static IEnumerable<Standing> AllOf(CaseResult result, string ours) =>
        new[] { Of(result, ours), Between(result, ours, Single) }.OfType<Standing>();

    /// <summary>The standing in a case; null where ours or all others have no figure there.</summary>
    /// <param name="result">What was measured.</param>
    /// <param name="ours">Our contestant.</param>
    public static Standing? Of(CaseResult result, string ours)
    {
        if (result.Metric == MetricKind.CpuShare || !IsThere(result, ours)) return null;
        bool isMore = result.Metric == MetricKind.Throughput;
        (string Name, double Median)[] peers =
        [
            .. result.Contestants.Select(static one => one.Contestant.Name)
                .Where(name => !name.StartsWith(Family, StringComparison.Ordinal) && !s_limits.Any(limit => name.StartsWith(limit, StringComparison.Ordinal)))
                .Where(name => IsThere(result, name))
                .Select(name => (name, MedianOf(result, name))),
        ];
        if (peers.Length == 0) return null;
        string best = (isMore ? peers.MaxBy(static one => one.Median) : peers.MinBy(static one => one.Median)).Name;
        return Between(result, ours, best) is { } found ? found with { Peers = peers.Length } : null;
    }

    /// <summary>Reads a row; null where it is not that of a standing.</summary>
    public static Standing? Parse(ResultRow row) =>
        row is { Metric: Metric, Median: { } median, Low: { } low, High: { } high } && Form().Match(row.Note ?? "") is { Success: true } match
        && row.Contestant.Split(Over) is [var ours, var peer] && int.TryParse(match.Groups["peers"].Value, out int peers)
            ? new Standing(row.Case, ours, peer, peers, new MedianInterval(median, low, high, row.Min ?? low, row.Max ?? high, row.Rounds, Coverage: double.NaN))
            : null;

    /// <summary>The row of the result file.</summary>
    public ResultRow ToRow() => new()
    {
        Case = Case, Contestant = $"{Ours}{Over}{Peer}", Metric = Metric, Unit = "x", Median = Ratio.Median, Low = Ratio.Low, High = Ratio.High,
        Min = Ratio.Min, Max = Ratio.Max, Rounds = Ratio.Rounds, Verified = true,
        Note = $"standing beside the best of {Peers}: {(!IsJudged ? TooFew : IsLevel ? "level" : IsAhead ? "ahead" : "behind")}",
    };

    private static Standing? Between(CaseResult result, string ours, string other)
    {
        if (result.Metric == MetricKind.CpuShare || !IsThere(result, ours) || !IsThere(result, other)) return null;
        MedianInterval? ratio = result.Metric == MetricKind.Throughput ? result.Ratio(ours, other) : result.Ratio(other, ours);
        return ratio is { } found && double.IsFinite(found.Median) ? new Standing(result.Name, ours, other, 1, found) : null;
    }

    private static bool IsThere(CaseResult result, string name) =>
        result.Contestants.FirstOrDefault(one => one.Contestant.Name == name) is { Verified: true, Rounds.Count: > 0 }
        && double.IsFinite(MedianOf(result, name));

    private static double MedianOf(CaseResult result, string name) =>
        Statistics.Median(result.Contestants.First(one => one.Contestant.Name == name).Rounds.Select(round => result.Headline(round.Sample)));

    [GeneratedRegex("^standing beside the best of (?<peers>[0-9]+): (?:ahead|level|behind|" + TooFew + ")$")]
    private static partial Regex Form();
}
