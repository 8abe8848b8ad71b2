using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>Where a stage is attached: a ring, with the columns that its stages read and write.</summary>
/// <param name="ring">The ring.</param>
/// <param name="main">The column of the definition that its producer publishes.</param>
/// <param name="segments">The first ring of each segment.</param>
/// <param name="nodes">What of the graph is more than a stage.</param>
internal sealed class RingContext(Ring ring, Column main, IReadOnlyDictionary<Segment, Ring> segments, PipelineNodes nodes)
{
    private readonly Dictionary<Column, object> _slots = [];
    private readonly Dictionary<StageDefinition, RouterOutputs> _outputs = [];
    private readonly Dictionary<StageGroup, WorkShare> _shares = [];

    public Ring Ring { get; } = ring;

    /// <summary>What its producer publishes.</summary>
    public Column Main => main;

    /// <summary>The slots of <paramref name="column"/> here; a further column is added when it is first asked for.</summary>
    public Slots<T> Of<T>(Column<T> column)
    {
        if (ReferenceEquals(column, main)) return ((RingBuffer<T>)Ring).Slots;
        if (_slots.TryGetValue(column, out object? slots)) return (Slots<T>)slots;
        Slots<T> added = Ring.AddColumn(column.Options.CreateSlot);
        _slots.Add(column, added);
        return added;
    }

    /// <summary>What of the graph is more than a stage.</summary>
    public PipelineNodes Nodes { get; } = nodes;

    /// <summary>What <paramref name="router"/> writes. This is its ring.</summary>
    public RouterOutputs OutputsOf(StageDefinition router)
    {
        if (!_outputs.TryGetValue(router, out RouterOutputs? outputs))
            _outputs.Add(router, outputs = new RouterOutputs(Ring.Capacity, router.Routes!.Outputs.Count));
        return outputs;
    }

    /// <summary>The input of <paramref name="stage"/>, which is for the items of <paramref name="selected"/>.</summary>
    public StageInput InputOf(StageDefinition stage, IReadOnlyList<RouterOutput> selected)
    {
        var selection = new SelectionSet([.. selected.Select(output => OutputsOf(output.Router)[output.Output])]);
        if (stage.Group is not { Kind: StageGroupKind.Workers } group) return new StageInput(selection);
        if (!_shares.TryGetValue(group, out WorkShare? share)) _shares.Add(group, share = new WorkShare(group.Count));
        return new StageInput(selection, share);
    }

    /// <summary>The ring that is published into for <paramref name="segment"/>.</summary>
    public RingBuffer<T> RingOf<T>(Segment segment) => (RingBuffer<T>)segments[segment];
}
