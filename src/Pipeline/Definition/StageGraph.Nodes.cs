namespace Raceway.Pipelines;

/// <content>Nodes that are not one stage, and which items each stage is for.</content>
/// <remarks>
/// A stage is for the items that its upstream is for: to follow a filter, an output, or a stage behind one, is to be for
/// what that is for; to follow several is to be for the items of any.
/// </remarks>
internal sealed partial class StageGraph
{
    private readonly Dictionary<string, RouterOutput> _outputs = new(StringComparer.Ordinal);
    private readonly Dictionary<string, List<string>> _groups = new(StringComparer.Ordinal);
    private readonly Dictionary<string, string[]> _nodes = new(StringComparer.Ordinal);
    private readonly Dictionary<string, IReadOnlyList<RouterOutput>> _selections = new(StringComparer.Ordinal);

    /// <summary>For each stage the router outputs that it handles items of; none if it handles every item.</summary>
    public IReadOnlyDictionary<string, IReadOnlyList<RouterOutput>> Selections => _selections;

    // Before any stage is looked at: what follows may be defined before.
    private void AddNodes(StageDefinition stage)
    {
        if (stage.Group is { } group)
        {
            if (!_groups.TryGetValue(group.Name, out List<string>? stages)) _groups.Add(group.Name, stages = []);
            if (stage.Routes is null) stages.Add(stage.Name);
        }

        if (stage.Routes is not { } routes) return;
        for (int i = 0; i < routes.Outputs.Count; i++)
        {
            if (routes.Outputs[i] is { } name && !_outputs.TryAdd(name, new RouterOutput(stage, i)))
                _problems.Add($"An output's name must be unique: router='{stage.Name}', output='{name}'. Rename one.");
        }
    }

    private void CheckNodes()
    {
        foreach (string name in _outputs.Keys.Concat(_groups.Keys).Where(_byName.ContainsKey))
            _problems.Add($"A name must be that of one thing: '{name}' is a stage and an output or group. Rename one.");
        foreach (string name in _outputs.Keys.Where(_groups.ContainsKey))
            _problems.Add($"A name must be that of one thing: '{name}' is an output and a group. Rename one.");
    }

    /// <summary>Every name that can be followed: the stages behind it, and the router outputs that its followers handle.</summary>
    public IEnumerable<(string Name, string[] Stages, IReadOnlyList<RouterOutput> Selection)> Nodes =>
        _byName.Keys.Concat(_outputs.Keys).Concat(_groups.Keys).Select(name => (name, StagesOf(name).ToArray(), Behind(name)));

    /// <summary>The stages that it takes to follow a node.</summary>
    private IEnumerable<string> StagesOf(string node) =>
        _groups.TryGetValue(node, out List<string>? group) ? group
        : _outputs.TryGetValue(node, out RouterOutput output) ? [output.Router.Name]
        : [node];

    private void Select()
    {
        foreach (StageDefinition stage in Ordered) _selections[stage.Name] = Union([.. _nodes[stage.Name].Select(Behind)]);
    }

    /// <summary>The router outputs that the followers of a node handle.</summary>
    private IReadOnlyList<RouterOutput> Behind(string node)
    {
        if (_outputs.TryGetValue(node, out RouterOutput output)) return [output];
        if (_groups.TryGetValue(node, out List<string>? group))
        {
            StageDefinition first = _byName[group[0]];
            // The lanes together are for what their router is for.
            return first.Group!.Kind == StageGroupKind.Lanes ? SelectionOf(_upstream[first.Name][0]) : SelectionOf(first.Name);
        }

        // One that is not known has its problem already.
        return _byName.GetValueOrDefault(node) is { Routes.IsFilter: true } filter ? [new RouterOutput(filter, 0)] : SelectionOf(node);
    }

    // A feeder is of another segment: everything that it publishes is for every stage.
    private IReadOnlyList<RouterOutput> SelectionOf(string stage) => _selections.GetValueOrDefault(stage, []);

    /// <summary>The router outputs that a follower of several nodes handles; none: everything.</summary>
    public static List<RouterOutput> UnionOf(IReadOnlyList<IReadOnlyList<RouterOutput>> parts) =>
        parts.Any(part => part.Count == 0) ? [] : [.. parts.SelectMany(part => part).Distinct()];

    private IReadOnlyList<RouterOutput> Union(IReadOnlyList<IReadOnlyList<RouterOutput>> parts)
    {
        List<RouterOutput> union = UnionOf(parts);
        // All outputs of a route are what the router is for.
        foreach (StageDefinition router in union.Select(output => output.Router).Distinct().ToArray())
        {
            if (router.Routes!.IsFilter || union.Count(output => output.Router == router) < router.Routes.Outputs.Count) continue;
            union.RemoveAll(output => output.Router == router);
            return Union([SelectionOf(router.Name), .. union.Select(output => new[] { output })]);
        }

        return union;
    }
}

/// <summary>An output of a router.</summary>
/// <param name="Router">The router.</param>
/// <param name="Output">Which of its outputs.</param>
internal readonly record struct RouterOutput(StageDefinition Router, int Output);
