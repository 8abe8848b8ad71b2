using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>
/// What may differ between two runs of one definition without a change of what they compute: how the stages are driven, how they
/// are called, how they wait, how much room there is, and where things lie. What is null stays as the definition has it.
/// </summary>
/// <remarks><c>raceway tune</c> prints the one that suits a goal, to be given to
/// <see cref="PipelineBuilder{TSource, T}.Run(PipelineSettings)"/>.</remarks>
/// <example>
/// <code>
/// PipelineSettings settings = new() { Plan = Plan.Pooled, Capacity = 4096, Dispatch = Dispatch.Batch(max: 256) };
/// await using Pipeline&lt;Order> pipeline = definition.Run(settings);
/// </code>
/// </example>
public sealed record PipelineSettings
{
    /// <summary>How the stages are driven. Default: <see cref="Plan.Auto"/>.</summary>
    public Plan Plan { get; init; } = Plan.Auto;

    /// <summary>Slots of the ring that producers publish into: a power of two from 2 to 2³⁰.</summary>
    public int? Capacity { get; init; }

    /// <summary>How every stage is called, also one that says something of its own.</summary>
    public Dispatch? Dispatch { get; init; }

    /// <summary>How single stages are called, by their names, where that is another way than that of the rest.</summary>
    public IReadOnlyDictionary<string, Dispatch> DispatchOf { get; init; } = new Dictionary<string, Dispatch>();

    /// <summary>How every stage and producer waits, also one that says something of its own.</summary>
    public Wait? Wait { get; init; }

    /// <summary>How far apart the hot cells of the rings lie.</summary>
    public CellPadding? Padding { get; init; }

    /// <summary>The processors that the stages' threads keep to, in turn, in the order in which the stages were defined; see
    /// <see cref="StageOptions.Processors"/> for where that is done.</summary>
    public IReadOnlyList<int>? Processors { get; init; }
}
