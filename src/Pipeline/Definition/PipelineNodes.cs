using System.Collections.Concurrent;
using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>What a built pipeline has beside its stages, by name.</summary>
internal sealed class PipelineNodes
{
    /// <summary>Names that can be followed: the stages behind each, and the router outputs that its followers handle.</summary>
    public Dictionary<string, (string[] Stages, IReadOnlyList<RouterOutput> Selection)> Nodes { get; } =
        new(StringComparer.Ordinal);

    /// <summary>By name; they may join and leave while others look.</summary>
    public ConcurrentDictionary<string, object> Pollers { get; } = new(StringComparer.Ordinal);

    public Dictionary<string, KeyedLanes> Lanes { get; } = new(StringComparer.Ordinal);

    /// <summary>Takes in a router of lanes, or a lane, that has been attached.</summary>
    public void Add(StageDefinition definition, Stage stage, RingContext context)
    {
        if (definition.Group is not { Kind: StageGroupKind.Lanes } group) return;
        if (definition.Routes is not null) Lanes.Add(group.Name, new KeyedLanes(group.Name, stage, context.OutputsOf(definition)));
        else Lanes[group.Name].Add(stage);
    }
}
