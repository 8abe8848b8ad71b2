using Raceway.Measuring;
using Raceway.Pipelines;

namespace Raceway.Analysis.Tuning;

/// <summary>What a search has found, and how sure it is.</summary>
public sealed record TuneResult
{
    /// <summary>What was tuned.</summary>
    public required string Target { get; init; }

    /// <summary>How.</summary>
    public required TuneOptions Options { get; init; }

    /// <summary>The settings to use, those of the best finalist.</summary>
    public required IReadOnlyDictionary<string, string> Chosen { get; init; }

    /// <summary>The choice first, then the best: of ours, of what runs today, and of a Channel.</summary>
    public required IReadOnlyList<Finalist> Finalists { get; init; }

    /// <summary>The finalists at full speed; none where it was stopped before.</summary>
    public CaseResult? FullSpeed { get; init; }

    /// <summary>The finalists at the given rate.</summary>
    public CaseResult? Paced { get; init; }

    /// <summary>Finalists that do not keep up with the given rate.</summary>
    public IReadOnlyList<string> Behind => [.. Finalists.Select(static one => one.Name).Where(FallsBehind)];

    /// <summary>How many times the p99 of the generator alone that of the choice is, at the given rate.</summary>
    public MedianInterval? TailOverControl { get; init; }

    /// <summary>Nanoseconds at the given rate, where there is no pipeline behind the generator.</summary>
    public double? ControlP99 { get; init; }

    /// <summary>Whether finals were run and no choice came through them.</summary>
    public bool FinalsFailed { get; init; }

    /// <summary>The choice, what runs today and a Channel while next to nothing comes.</summary>
    public CaseResult? LowLoad { get; init; }

    /// <summary>Other finalists while next to nothing comes; measured only if the choice is much slower there than what runs today.</summary>
    public CaseResult? LowLoadOfOthers { get; init; }

    /// <summary>What the choice costs at a low load; null if it is not much slower there than what runs today.</summary>
    public LowLoadWarning? Warning { get; init; }

    /// <summary>The finalist with the best median, if the choice is a simpler one that cannot be told apart from it.</summary>
    public EqualBest? EqualBest { get; init; }

    /// <summary>What runs today, by its name in the rows.</summary>
    public string TodayName { get; init; } = Knobs.AsDefined;

    /// <summary>What each knob was worth.</summary>
    public IReadOnlyList<KnobWorth> Worth { get; init; } = [];

    /// <summary>What a call costs by its batch, at full speed; none where it was not found.</summary>
    public BatchCostFit? CallCost { get; init; }

    /// <summary>The limits of batches that it was found by, in their order.</summary>
    public IReadOnlyList<int> CallSizes { get; init; } = [];

    /// <summary>Whether a Channel would do, and why.</summary>
    public ChannelVerdict? Channel { get; init; }

    /// <summary>What holds up the pipeline as it runs today.</summary>
    public IReadOnlyList<TrialFinding> Findings { get; init; } = [];

    /// <summary>Every choice that was tried, with what is known of it.</summary>
    public IReadOnlyList<ResultRow> Tried { get; init; } = [];

    /// <summary>Percentiles of the finalists, and latency against load.</summary>
    public IReadOnlyList<ResultCurve> Curves { get; init; } = [];

    /// <summary>Where the stages' time went under the choice, and as it runs today.</summary>
    public IReadOnlyList<ResultTimeline> Timelines { get; init; } = [];

    /// <summary>Choices that failed, and how.</summary>
    public IReadOnlyList<(string Name, string Failure)> Failures { get; init; } = [];

    /// <summary>Rounds that were run.</summary>
    public int Rounds { get; init; }

    /// <summary>How long it took.</summary>
    public TimeSpan Elapsed { get; init; }

    private bool FallsBehind(string name) => Paced?.Contestants.Any(one => one.Contestant.Name == name && one.FallsBehind) == true;
}

/// <summary>A choice that was measured beside the others round by round.</summary>
/// <param name="Name">Its name in the rows.</param>
/// <param name="Knobs">Its settings.</param>
/// <param name="Over">How many times as good the choice is, with its interval.</param>
/// <param name="Throughput">Items a second at full speed.</param>
/// <param name="P99">Nanoseconds at the given rate, of a typical window of some 10 ms: what counts for the goal.</param>
/// <param name="P99OfAll">Nanoseconds at the given rate, of whole rounds.</param>
/// <param name="Cpu">Nanoseconds of processor time an item at the given rate.</param>
/// <param name="IsOnFront">Whether no other choice is better in one of the three and no worse in the others.</param>
public sealed record Finalist(
    string Name, IReadOnlyDictionary<string, string> Knobs, MedianInterval? Over,
    double? Throughput, double? P99, double? P99OfAll, double? Cpu, bool IsOnFront);

/// <summary>What a knob was worth: the choice over the same with this knob turned.</summary>
/// <param name="Knob">The knob.</param>
/// <param name="Value">Its value in the choice.</param>
/// <param name="Other">The value that it was compared with.</param>
/// <param name="Ratio">How many times as good the choice is; an interval around 1 is a knob that does not matter.</param>
public sealed record KnobWorth(string Knob, string Value, string Other, MedianInterval Ratio);

/// <summary>The finalist with the best median, and the choice beside it.</summary>
/// <param name="Name">Its name in the rows.</param>
/// <param name="Over">How many times as good as the choice it is: an interval that holds 1.</param>
/// <param name="Changes">How many knobs it changes.</param>
/// <param name="ChosenChanges">How many the choice changes.</param>
public sealed record EqualBest(string Name, MedianInterval Over, int Changes, int ChosenChanges);

/// <summary>A choice that is much slower at a low load than what runs today.</summary>
/// <param name="Percentile">Of latency: 0.5 or 0.99.</param>
/// <param name="Chosen">Nanoseconds under the choice.</param>
/// <param name="TodayName">What runs today, by its name in the rows.</param>
/// <param name="Today">Nanoseconds under what runs today.</param>
/// <param name="Alternative">The best finalist that is not; null if there is none.</param>
/// <param name="AlternativeTime">Nanoseconds under the alternative.</param>
public sealed record LowLoadWarning(
    double Percentile, double Chosen, string TodayName, double Today, Finalist? Alternative, double? AlternativeTime);

/// <summary>Whether a Channel would do.</summary>
/// <param name="IsEnough">It would.</param>
/// <param name="Reason">Why, in a sentence with its figures.</param>
/// <param name="Ratio">How many times as good the choice is.</param>
public sealed record ChannelVerdict(bool IsEnough, string Reason, MedianInterval? Ratio);
