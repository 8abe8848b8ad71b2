namespace Raceway.Pipelines;

/// <summary>The stages of a definition, checked and in an order in which each comes after its upstream.</summary>
internal sealed partial class StageGraph
{
    private readonly Dictionary<string, StageDefinition> _byName = new(StringComparer.Ordinal);
    private readonly Dictionary<string, string[]> _upstream = new(StringComparer.Ordinal);
    private readonly List<(StageDefinition Stage, string[] After)> _followed = [];
    private readonly List<string> _problems;

    private StageGraph(IReadOnlyList<StageDefinition> stages, List<string> problems)
    {
        _problems = problems;
        Ordered = stages;
    }

    public IReadOnlyList<StageDefinition> Ordered { get; private set; }

    /// <summary>For each stage the stages of its segment that it follows; none where it reads what is published there.</summary>
    public IReadOnlyDictionary<string, string[]> Upstream => _upstream;

    /// <summary>Orders <paramref name="stages"/>; adds what is wrong to <paramref name="problems"/>.</summary>
    public static StageGraph Of(IReadOnlyList<StageDefinition> stages, List<string> problems)
    {
        if (stages.Count == 0) problems.Add("A pipeline needs a stage: stages=0. Add one with Stage(name, handler).");
        var graph = new StageGraph(stages, problems);
        foreach (StageDefinition stage in stages) graph.AddNodes(stage);
        for (int i = 0; i < stages.Count; i++) graph.Add(i);
        graph.CheckNodes();
        graph.CheckUpstream();
        if (graph._byName.Count < stages.Count) return graph;
        graph.Sort();
        if (graph.Ordered.Count < stages.Count) return graph;
        graph.Select();
        graph.CheckColumns();
        graph.CheckSegments();
        return graph;
    }

    /// <summary>Whether <paramref name="stage"/> follows <paramref name="other"/>, directly or through others.</summary>
    public bool Follows(string stage, string other) =>
        Array.Exists(Known(stage), up => up == other || Follows(up, other));

    private static bool IsFeeder(StageDefinition stage, string name) =>
        stage.Segment.Feeders.Exists(feeder => feeder.Name == name);

    private string[] Known(string stage) => Array.FindAll(_upstream[stage], _byName.ContainsKey);

    private void Add(int index)
    {
        StageDefinition stage = Ordered[index];
        if (string.IsNullOrWhiteSpace(stage.Name)) _problems.Add($"A stage needs a name: stage number {index + 1}.");
        IEnumerable<string> after = stage.Moves
            ? Ordered.Where(other => other.Segment == stage.Segment && !other.Moves).Select(other => other.Name)
            : stage.After;
        string[] nodes = [.. after.Distinct()];
        // What feeds a segment is not one of its stages: to follow it is to read what it publishes.
        string[] upstream = [.. nodes.SelectMany(StagesOf).Distinct().Where(name => !IsFeeder(stage, name))];
        _followed.Add((stage, upstream));
        if (_byName.TryAdd(stage.Name, stage))
        {
            _upstream.Add(stage.Name, upstream);
            _nodes.Add(stage.Name, nodes);
        }
        else
        {
            _problems.Add($"A stage's name must be unique: name='{stage.Name}'. Rename one.");
        }
    }

    private void CheckUpstream()
    {
        foreach ((StageDefinition stage, string[] after) in _followed)
        {
            foreach (string other in after)
            {
                if (!_byName.TryGetValue(other, out StageDefinition? upstream))
                {
                    _problems.Add(
                        $"A stage can only follow a stage of the pipeline: stage='{stage.Name}', after='{other}'. "
                        + $"Known: {string.Join(", ", _upstream.Keys.Concat(_outputs.Keys).Concat(_groups.Keys))}.");
                }
                else if (upstream.Segment != stage.Segment && _byName.Count == Ordered.Count)
                {
                    List<StageDefinition> feeders = stage.Segment.Feeders;
                    string fed = feeders.Count == 0 ? "producers" : string.Join('+', feeders.Select(feeder => feeder.Name));
                    _problems.Add(
                        $"A stage can only follow stages of its own segment, as an expansion begins sequences of its own: "
                        + $"stage='{stage.Name}' (fed by {fed}), after='{other}'. Put what is needed of the other segment into the "
                        + "items, or define the stage on that segment.");
                }
            }
        }
    }

    // Stages keep the order of their definition where their upstream allows it.
    private void Sort()
    {
        var ordered = new List<StageDefinition>();
        var placed = new HashSet<string>(StringComparer.Ordinal);
        while (ordered.Count < Ordered.Count)
        {
            StageDefinition? next = Ordered.FirstOrDefault(
                stage => !placed.Contains(stage.Name)
                    && Array.TrueForAll(Known(stage.Name), placed.Contains)
                    && stage.Segment.Feeders.TrueForAll(feeder => placed.Contains(feeder.Name)));
            if (next is null)
            {
                IEnumerable<string> cycle = Ordered.Select(stage => stage.Name).Where(name => !placed.Contains(name));
                _problems.Add($"Stages must not follow each other in a circle: {string.Join(", ", cycle)}. Let one of them begin elsewhere, by After.");
                break;
            }

            ordered.Add(next);
            placed.Add(next.Name);
        }

        Ordered = ordered;
    }

    private void CheckColumns()
    {
        foreach (StageDefinition stage in Ordered)
        {
            if (stage.Reads.Writers.Find(writer => !Follows(stage.Name, writer.Name)) is not { } missed) continue;
            string writer = missed.Group?.Name ?? missed.Name;
            _problems.Add(
                $"A stage must follow the one that writes what it reads: stage='{stage.Name}', "
                + $"item={stage.Reads.ItemType.Name}, written by '{writer}'. Name '{writer}' in the After before it.");
        }
    }

    private void CheckSegments()
    {
        foreach (StageDefinition stage in Ordered.Where(stage => stage.Moves && Selections[stage.Name].Count > 0))
        {
            _problems.Add(
                $"What is passed on whole must not be selected from: stage='{stage.Name}' follows a filter or an output. "
                + "Filter behind it, or use Expand for what is to go on.");
        }

        foreach (StageDefinition stage in Ordered)
        {
            if (stage.Feeds is not { } segment || Ordered.Any(other => other.Segment == segment)) continue;
            _problems.Add(
                $"What an expansion makes needs a stage that takes it: stage='{stage.Name}'. Add one behind it with "
                + "Stage(name, handler).");
        }
    }
}
