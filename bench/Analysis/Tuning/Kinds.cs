namespace Raceway.Analysis.Tuning;

/// <summary>The kinds of settings: a search keeps the best of each, and looks around more than one of them.</summary>
internal static class Kinds
{
    private const int Small = 1_024;
    private const int Medium = 4_096;

    /// <summary>The kinds that a choice is of: its plan and, if latency is asked for, how large its ring is.</summary>
    /// <param name="knobs">The choice.</param>
    /// <param name="goal">What it is to be good at.</param>
    public static IEnumerable<string> Of(IReadOnlyDictionary<string, string> knobs, TuneGoal goal)
    {
        // What names no plan is what runs today: it is in the finals in any case.
        if (knobs.GetValueOrDefault(Knobs.Plan) is { } plan) yield return plan;
        // How long an item waits depends on how much room there is for others before it, and on what stays in the caches.
        if (goal.Weights.ContainsKey(TuneGoal.P99) && Knobs.ToSettings(knobs).Capacity is { } capacity)
            yield return capacity <= Small ? "small ring" : capacity <= Medium ? "medium ring" : "large ring";
    }

    /// <summary>Candidates to try the neighbours of: the best of each of the best plans.</summary>
    /// <param name="leaders">The best first.</param>
    /// <param name="plans">Of how many plans.</param>
    public static IEnumerable<Candidate> Centres(IReadOnlyList<Candidate> leaders, int plans) =>
        leaders.DistinctBy(static one => Knobs.ToSettings(one.Knobs).Plan).Take(plans);
}
