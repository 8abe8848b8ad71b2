namespace Raceway.Analysis.Layouts;

/// <summary>Fields of two writers that may lie on one line.</summary>
/// <param name="One">A writer.</param>
/// <param name="Other">The other one.</param>
/// <param name="Fields">The fields that meet.</param>
/// <param name="Places">At how many of the places where the address may be in its line.</param>
/// <param name="OfPlaces">How many such places there are.</param>
public sealed record SharedLine(string One, string Other, IReadOnlyList<string> Fields, int Places, int OfPlaces)
{
    /// <summary>How many of the live ones that were looked at shared it; null where none was looked at.</summary>
    public int? Live { get; init; }

    /// <summary>How many live ones were looked at.</summary>
    public int OfLive { get; init; }
}

/// <summary>Tells which writers meet on a line.</summary>
public static class LineSharing
{
    private const string ThisElement = "an element's thread";
    private const string NextElement = "the next element's";

    /// <summary>Pairs of writers with fields that share a line, for any address at which the type may begin.</summary>
    /// <param name="layout">The type.</param>
    /// <param name="lines">The lines.</param>
    /// <param name="live">How far into their lines live ones begin.</param>
    public static IReadOnlyList<SharedLine> Of(TypeLayout layout, CacheLines lines, IReadOnlyList<int>? live = null) =>
        Meetings(layout, lines, [.. layout.Leaves.Where(static leaf => leaf.Writer is not null)], live);

    /// <summary>The same for an element of an array and the next one, each written by a thread of its own.</summary>
    /// <param name="layout">A struct. Where none of its fields has a writer, all count.</param>
    /// <param name="lines">The lines.</param>
    public static IReadOnlyList<SharedLine> OfNeighbours(TypeLayout layout, CacheLines lines)
    {
        FieldLayout[] written = [.. layout.Leaves.Where(static leaf => leaf.Writer is not null)];
        if (written.Length == 0) written = [.. layout.Leaves];
        return Meetings(
            layout,
            lines,
            [
                .. written.Select(static leaf => leaf with { Path = "[i]." + leaf.Path, Writer = ThisElement }),
                .. written.Select(leaf => leaf with
                {
                    Path = "[i+1]." + leaf.Path, Writer = NextElement, Offset = leaf.Offset + layout.Size,
                }),
            ],
            live: null);
    }

    /// <summary>At how many places a field shares a line with what lies before or behind the whole.</summary>
    public static int PlacesBesideNeighbours(TypeLayout layout, CacheLines lines, FieldLayout leaf) =>
        lines.Places(layout.Step).Count(place =>
            lines.AreShared(place, Bytes(layout, leaf.Offset, leaf.End), Bytes(layout, layout.Start - 1, layout.Start))
            || lines.AreShared(place, Bytes(layout, leaf.Offset, leaf.End), Bytes(layout, layout.End, layout.End + 1)));

    private static List<SharedLine> Meetings(
        TypeLayout layout, CacheLines lines, FieldLayout[] written, IReadOnlyList<int>? live)
    {
        IReadOnlyList<int> places = lines.Places(layout.Step);
        var found = new List<SharedLine>();
        string[] writers = [.. written.Select(static leaf => leaf.Writer!).Distinct()];
        for (int i = 0; i < writers.Length; i++)
        {
            for (int j = i + 1; j < writers.Length; j++)
            {
                (FieldLayout One, FieldLayout Other)[] pairs =
                [
                    .. from one in written
                       where one.Writer == writers[i]
                       from other in written
                       where other.Writer == writers[j]
                       select (one, other),
                ];
                bool MeetAt(int place, (FieldLayout One, FieldLayout Other) pair) => lines.AreShared(
                    place, Bytes(layout, pair.One.Offset, pair.One.End), Bytes(layout, pair.Other.Offset, pair.Other.End));

                int shared = places.Count(place => pairs.Any(pair => MeetAt(place, pair)));
                if (shared == 0) continue;
                var met = pairs.Where(pair => places.Any(place => MeetAt(place, pair))).ToArray();
                found.Add(new SharedLine(
                    writers[i],
                    writers[j],
                    [.. met.Select(static pair => pair.One).Concat(met.Select(static pair => pair.Other))
                        .Select(static leaf => leaf.Path).Distinct()],
                    shared,
                    places.Count)
                {
                    Live = live?.Count(place => pairs.Any(pair => MeetAt(place, pair))),
                    OfLive = live?.Count ?? 0,
                });
            }
        }

        return found;
    }

    private static (int First, int End) Bytes(TypeLayout layout, int first, int end) =>
        (first - layout.Origin, end - layout.Origin);
}
