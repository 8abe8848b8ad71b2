using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>The stages of a definition, checked and in an order in which each comes after its upstream.</summary>
internal sealed class StageGraph<T>
{
    private StageGraph(IReadOnlyList<StageDefinition<T>> ordered, IReadOnlyDictionary<string, string[]> upstream)
    {
        Ordered = ordered;
        Upstream = upstream;
    }

    public IReadOnlyList<StageDefinition<T>> Ordered { get; }

    public IReadOnlyDictionary<string, string[]> Upstream { get; }

    /// <summary>Orders <paramref name="stages"/>; adds what is wrong to <paramref name="problems"/>.</summary>
    public static StageGraph<T> Of(IReadOnlyList<StageDefinition<T>> stages, List<string> problems)
    {
        if (stages.Count == 0) problems.Add("A pipeline needs a stage: stages=0. Add one with Stage(name, handler).");
        var upstream = new Dictionary<string, string[]>(StringComparer.Ordinal);
        for (int i = 0; i < stages.Count; i++)
        {
            StageDefinition<T> stage = stages[i];
            if (string.IsNullOrWhiteSpace(stage.Name)) problems.Add($"A stage needs a name: stage number {i + 1}.");
            if (stage.After?.Contains(null!) == true)
                problems.Add($"A stage follows stages that have names: stage='{stage.Name}', after=null. Leave the entry out.");
            string[] after = stage.After is null ? (i == 0 ? [] : [stages[i - 1].Name]) : [.. stage.After.Distinct().Where(name => name is not null)];
            if (!upstream.TryAdd(stage.Name, after))
                problems.Add($"A stage's name must be unique: name='{stage.Name}'. Rename one.");
        }

        foreach ((string name, string[] after) in upstream)
            foreach (string unknown in after.Where(other => !upstream.ContainsKey(other)))
                problems.Add(
                    $"A stage can only follow a stage of the pipeline: stage='{name}', after='{unknown}'. "
                    + $"Known: {string.Join(", ", upstream.Keys)}.");

        return new StageGraph<T>(upstream.Count == stages.Count ? Sort(stages, upstream, problems) : stages, upstream);
    }

    // Stages keep the order of their definition where their upstream allows it.
    private static List<StageDefinition<T>> Sort(
        IReadOnlyList<StageDefinition<T>> stages, Dictionary<string, string[]> upstream, List<string> problems)
    {
        var ordered = new List<StageDefinition<T>>();
        var placed = new HashSet<string>(StringComparer.Ordinal);
        while (ordered.Count < stages.Count)
        {
            StageDefinition<T>? next = stages.FirstOrDefault(
                stage => !placed.Contains(stage.Name)
                    && Array.TrueForAll(upstream[stage.Name], other => placed.Contains(other) || !upstream.ContainsKey(other)));
            if (next is null)
            {
                IEnumerable<string> cycle = stages.Select(stage => stage.Name).Where(name => !placed.Contains(name));
                problems.Add($"Stages must not follow each other in a circle: {string.Join(", ", cycle)}. Remove an `after`.");
                break;
            }

            ordered.Add(next);
            placed.Add(next.Name);
        }

        return ordered;
    }
}
