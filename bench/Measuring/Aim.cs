using System.Globalization;

namespace Raceway.Measuring;

/// <summary>Something said of our figures beside others', in a form that a run can check.</summary>
/// <remarks>
/// An aim compares rounds that ran next to each other: our figure divided by the peer's, and the median of those ratios
/// with its 95 % interval. It holds where the end of the interval that speaks against it still meets the bound.
/// </remarks>
public sealed record Aim
{
    private const string AnyName = "/*";
    private const string AnyNames = "/**";

    /// <summary>Its number, such as <c>1a</c>.</summary>
    public required string Number { get; init; }

    /// <summary>What it is about, in words; without a semicolon.</summary>
    public required string Text { get; init; }

    /// <summary>The case; absent if the aim is about every case with throughput as its headline.</summary>
    public string? Case { get; init; }

    /// <summary>Our contestant. Where its name means several (see <see cref="Peers"/>), the worst of them counts.</summary>
    public required string Ours { get; init; }

    /// <summary>
    /// The contestants compared with. <c>family/*</c> means every <c>family/name</c>, <c>family/**</c> also
    /// <c>family/form/name</c>. Of several the one with the best median counts. None where the bound is on our figure itself.
    /// </summary>
    // Read from a file that does not name it, it is set to null.
    public IReadOnlyList<string> Peers { get; init => field = value ?? []; } = [];

    /// <summary>The case of the peers where it is another one; its rounds are then paired by their index.</summary>
    public string? PeerCase { get; init; }

    /// <summary>The figure, by the name that its rows have. Throughput is better higher, everything else lower unless <see cref="MoreIsBetter"/> is set.</summary>
    public string Metric { get; init => field = value ?? Figures.Throughput; } = Figures.Throughput;

    /// <summary>What the ratio (or the figure) must reach, or must not exceed where lower is better.</summary>
    public required double Bound { get; init; }

    /// <summary>
    /// Of a bound on our figure itself: rounds of fewer operations are not judged. What a round costs once, however long it
    /// is, would be all that shows in them.
    /// </summary>
    public long LeastOperations { get; init; }

    /// <summary>Whether more of a count is better, such as of the ratio of a compression. Otherwise less of it is.</summary>
    public bool MoreIsBetter { get; init; }

    /// <summary>Whether less is better.</summary>
    public bool LowerIsBetter => Metric != Figures.Throughput && !MoreIsBetter;

    /// <summary>Whether the bound is on our figure itself.</summary>
    public bool IsAbsolute => Peers.Count == 0;

    /// <summary>The peers in words.</summary>
    public string PeerText =>
        (IsBestOf ? "the best of " : "") + string.Join(", ", Peers) + (PeerCase is null ? "" : $" of {PeerCase}");

    /// <summary>The bound in words: <c>at least 4</c>, <c>latency-p50 at most 1.1</c>, <c>ratio at least 1.5</c>.</summary>
    public string BoundText => string.Create(
        CultureInfo.InvariantCulture,
        $"{(Metric == Figures.Throughput ? "" : $"{Metric} ")}{(LowerIsBetter ? "at most" : "at least")} {Bound}");

    /// <summary>The rounds that are judged, in words.</summary>
    internal string LeastText => string.Create(CultureInfo.InvariantCulture, $"round of {LeastOperations:N0} events or more");

    /// <summary>Whether an interval meets the bound with the end that speaks against the aim.</summary>
    public bool IsMetBy(MedianInterval figure) => LowerIsBetter ? figure.High <= Bound : figure.Low >= Bound;

    private bool IsBestOf => Peers.Count > 1 || Peers.Any(static name => FamilyOf(name) is not null);

    /// <summary>Whether a name is meant by one of the given names.</summary>
    internal static bool IsMeant(string contestant, IEnumerable<string> names) => names.Any(name =>
        FamilyOf(name) is not { } family ? contestant == name
        : contestant.StartsWith(family, StringComparison.Ordinal)
            && (name.EndsWith(AnyNames, StringComparison.Ordinal) || contestant.IndexOf('/', family.Length) < 0));

    private static string? FamilyOf(string name) =>
        name.EndsWith(AnyNames, StringComparison.Ordinal) ? name[..^2]
        : name.EndsWith(AnyName, StringComparison.Ordinal) ? name[..^1]
        : null;
}
