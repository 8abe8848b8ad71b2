using Raceway.Measuring;
using Raceway.Suites.RingSuite;

namespace Raceway.Analysis.SharingStudy;

/// <summary>What a ring is laid out for, and the case that judges.</summary>
/// <param name="Name">The goal, in a few words.</param>
/// <param name="Case">The case.</param>
/// <param name="Default">The contestant that is set as rings come.</param>
public sealed record LayoutGoal(string Name, string Case, string Default)
{
    /// <summary>All goals.</summary>
    public static IReadOnlyList<LayoutGoal> All { get; } =
    [
        new("throughput, one producer", RingPaddings.OneToOne, RingPaddings.Default),
        new("throughput, one producer, stages that spin", RingPaddings.OneToOne, RingPaddings.BusySpin),
        new("publishing call, stages that spin", RingPaddings.Publish, RingPaddings.BusySpin),
        new("throughput, several producers", RingPaddings.OneOfSeveral, RingPaddings.Default),
        new("round trip", RingPaddings.RoundTrip, RingPaddings.Default),
    ];
}

/// <summary>The layout that the ring's own figures speak for.</summary>
/// <remarks>
/// The default stays unless another layout is faster by more than noise: less than <see cref="LeastGain"/>, or an interval that
/// does not clear it, is no reason to set anything.
/// </remarks>
/// <param name="Goal">What for.</param>
/// <param name="Chosen">The contestant that is set so.</param>
/// <param name="Knobs">Its settings.</param>
/// <param name="Gain">Its speed over the default's; <see langword="null"/> where it is the default.</param>
/// <param name="Packed">What packed cells cost, over the default.</param>
public sealed record LayoutChoice(
    LayoutGoal Goal, string Chosen, IReadOnlyDictionary<string, string> Knobs, MedianInterval? Gain, MedianInterval? Packed)
{
    /// <summary>The least gain, at the lower end of its interval, for which a default is left.</summary>
    public const double LeastGain = 1.05;

    /// <summary>The choice; <see langword="null"/> where the default was not measured.</summary>
    public static LayoutChoice? Of(LayoutGoal goal, CaseResult result)
    {
        ArgumentNullException.ThrowIfNull(goal);
        ArgumentNullException.ThrowIfNull(result);
        IContestant[] ours = [.. result.Contestants.Where(static one => one.Verified).Select(static one => one.Contestant)
            .Where(static one => one.Knobs is not null)];
        if (ours.FirstOrDefault(one => one.Name == goal.Default) is not { } usual) return null;

        // How stages wait is no question of layout: only contestants that wait as the default does are asked.
        string wait = usual.Knobs!["wait"];
        (IContestant Contestant, MedianInterval Gain)? best = ours
            .Where(one => one != usual && one.Knobs!["wait"] == wait)
            .Select(one => (one, Gain: Speed(result, one.Name, goal.Default)))
            .Where(static one => one.Gain?.Low >= LeastGain)
            .Select(static one => ((IContestant, MedianInterval)?)(one.one, one.Gain!.Value))
            .MaxBy(static one => one!.Value.Item2.Median);
        string family = goal.Default == RingPaddings.Default ? "raceway" : goal.Default;
        return new LayoutChoice(
            goal, best?.Contestant.Name ?? usual.Name, (best?.Contestant ?? usual).Knobs!, best?.Gain,
            Speed(result, goal.Default, family + RingPaddings.Packed));
    }

    // Above 1: the first one is faster.
    private static MedianInterval? Speed(CaseResult result, string one, string over) =>
        result.Metric == MetricKind.Throughput ? result.Ratio(one, over) : result.Ratio(over, one);
}
