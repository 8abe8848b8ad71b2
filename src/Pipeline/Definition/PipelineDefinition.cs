using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>What a pipeline is built from, without a type: its stages know their columns, and how to attach themselves.</summary>
/// <remarks>The builders are typed views on one of these, one for each column.</remarks>
internal sealed class PipelineDefinition
{
    private readonly List<StageDefinition> _stages = [];

    public IReadOnlyList<StageDefinition> Stages => _stages;

    /// <summary>What was wrong where something was added, to be reported with everything else when it is built.</summary>
    public List<string> Problems { get; } = [];

    /// <summary>What happens when a stage throws that does not say otherwise.</summary>
    public FaultPolicy OnFault { get; set; } = FaultPolicy.Stop;

    public void Add(StageDefinition stage)
    {
        _stages.Add(stage);
        if (stage.Writes is { } column && !column.Writers.Contains(stage)) column.Writers.Add(stage);
        if (stage.Feeds is { } segment && !segment.Feeders.Contains(stage)) segment.Feeders.Add(stage);
    }
}
