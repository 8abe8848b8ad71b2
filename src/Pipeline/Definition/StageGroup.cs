namespace Raceway.Pipelines;

/// <summary>Stages beside each other that are one node of the graph: to follow it is to follow all of them.</summary>
/// <param name="Name">The node's name.</param>
/// <param name="Kind">What they are to each other.</param>
/// <param name="Count">How many.</param>
internal sealed record StageGroup(string Name, StageGroupKind Kind, int Count);

/// <summary>What the stages of a group are to each other.</summary>
internal enum StageGroupKind
{
    /// <summary>Each item is for any one of them.</summary>
    Workers,

    /// <summary>Each item is for the one of its key; the first stage is the router.</summary>
    Lanes,
}
