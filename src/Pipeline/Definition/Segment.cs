namespace Raceway.Pipelines;

/// <summary>Stages that share one run of sequences. Where a stage makes any number of items of one, another segment begins.</summary>
/// <param name="capacity">Slots of its ring, or of each of its rings.</param>
internal sealed class Segment(int capacity)
{
    public int Capacity { get; set; } = capacity;

    /// <summary>The column that is published into it: its first one.</summary>
    public Column Main { get; set; } = null!;

    /// <summary>The stages that publish into it; none where its producers are the user's.</summary>
    public List<StageDefinition> Feeders { get; } = [];
}
