namespace Raceway.Pipelines;

/// <summary>Stages of a segment that share a ring.</summary>
/// <param name="segment">Their segment.</param>
/// <param name="main">The column that the ring's producer publishes.</param>
internal sealed class Section(Segment segment, Column main)
{
    public Segment Segment { get; } = segment;

    public Column Main { get; } = main;

    /// <summary>Each after its upstream.</summary>
    public List<StageDefinition> Stages { get; } = [];

    /// <summary>Where the segment goes on in a ring of its own: the section there, fed behind <see cref="Cut"/>.</summary>
    public Section? Next { get; set; }

    /// <summary>The last stage here, where there is a next section.</summary>
    public StageDefinition? Cut { get; set; }

    /// <summary>The sections of all segments, each after those that feed it; one a segment unless
    /// <paramref name="ringPerStage"/>.</summary>
    public static List<Section> Of(StageGraph graph, bool ringPerStage)
    {
        List<Section> sections = [];
        foreach (IGrouping<Segment, StageDefinition> stages in graph.Ordered.GroupBy(stage => stage.Segment))
        {
            var section = new Section(stages.Key, stages.Key.Main);
            sections.Add(section);
            List<StageDefinition> left = [.. stages];
            while (left.Count > 0)
            {
                StageDefinition stage = left[0];
                left.RemoveAt(0);
                section.Stages.Add(stage);
                if (!ringPerStage || left.Count == 0 || ColumnBehind(graph, section, stage, left) is not { } column) continue;
                section.Cut = stage;
                section = section.Next = new Section(stages.Key, column);
                sections.Add(section);
            }
        }

        return sections;
    }

    /// <summary>The one column that goes on behind <paramref name="stage"/>; null where the ring cannot end there.</summary>
    private static Column? ColumnBehind(
        StageGraph graph, Section section, StageDefinition stage, List<StageDefinition> later)
    {
        // Its user steps it alone.
        if (stage.IsPolled) return null;
        // Each stage before it is done with the item, and each stage behind it comes after it.
        if (!section.Stages.TrueForAll(other => other == stage || graph.Follows(stage.Name, other.Name))) return null;
        if (!later.TrueForAll(other => graph.Follows(other.Name, stage.Name))) return null;
        // What only passes the items on is no stage worth a ring.
        if (later.TrueForAll(other => other.Moves)) return null;
        // Payloads are lent until the ring of their slot has done with it.
        if (section.Segment.Main.HasPayloads) return null;
        // A side branch that leaves by its policy must find the ring going on without it.
        if (later.Exists(other => other.Final.OnFault!.MayDetach)) return null;
        // The slots of this ring tell which items a stage is for.
        if (later.Exists(other => graph.Selections[other.Name].Any(output => section.Stages.Contains(output.Router)))) return null;
        Column[] read = [.. later.Select(other => other.Reads).Distinct().Where(column => !column.Writers.Exists(later.Contains))];
        return read.Length == 1 ? read[0] : null;
    }
}
