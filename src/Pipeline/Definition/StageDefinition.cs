using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>One stage of a definition.</summary>
/// <param name="Name">Its name.</param>
/// <param name="After">Names of its upstream stages, outputs and groups; none where it reads what is published.</param>
/// <param name="Options">The rest, without name and upstream.</param>
/// <param name="Reads">What it is called for.</param>
/// <param name="Attach">Attaches its handler, with the input that its upstream makes.</param>
internal sealed record StageDefinition(
    string Name, IReadOnlyList<string> After, StageOptions Options, Column Reads,
    Func<RingContext, StageInput, StageOptions, Stage> Attach)
{
    /// <summary>The rest, without name and upstream; settings may replace it.</summary>
    public StageOptions Options { get; set; } = Options;

    /// <summary>The definition that it was added to first: a merge takes stages of several.</summary>
    public PipelineDefinition? Owner { get; set; }

    /// <summary>The same with what the definition says where the stage says nothing.</summary>
    public StageOptions Final => Options.OnFault is null ? Options with { OnFault = Owner!.OnFault } : Options;

    /// <summary>The column it writes at the same sequences, where it changes the type.</summary>
    public Column? Writes { get; init; }

    /// <summary>The segment it publishes into, where it makes any number of items of one.</summary>
    public Segment? Feeds { get; init; }

    /// <summary>Whether it takes the items with it: it comes after every other stage of its segment.</summary>
    public bool Moves { get; init; }

    /// <summary>Whether its handler awaits.</summary>
    public bool Awaits { get; init; }

    /// <summary>Whether its user steps it, whatever the plan.</summary>
    public bool IsPolled { get; init; }

    /// <summary>What it chooses between, where it is a router.</summary>
    public RouterDefinition? Routes { get; init; }

    /// <summary>Those that it is one of, where several stages make one node of the graph.</summary>
    public StageGroup? Group { get; init; }

    public Segment Segment => Reads.Segment;

    /// <summary>Why several threads cannot be its, where that is known before it is attached.</summary>
    public string? OneThreadBecause =>
        Routes is not null ? "it marks for many slots at once which stages they are for"
        : IsPolled ? "its user polls it"
        : Feeds is not null ? "what it makes comes out in one order, and has no place before it is made"
        : Group is { Kind: StageGroupKind.Workers } ? "its workers share the items already"
        : Group is { Kind: StageGroupKind.Lanes } ? "a lane keeps the order of its keys"
        : null;
}
