using System.Runtime.InteropServices;
using Raceway.Analysis.Layouts;
using Raceway.Measuring;
using LayoutKind = Raceway.Analysis.Layouts.LayoutKind;

namespace Raceway.Lab.Layouts;

/// <summary>A layout with what there is to say about it.</summary>
/// <param name="Name">What was asked for.</param>
/// <param name="Layout">Where the fields lie.</param>
/// <param name="Lines">The lines it was judged by.</param>
/// <param name="Shared">Writers that share one: what the reader should mend.</param>
/// <param name="LivePlaces">How far into their lines live ones began; null where none was looked at.</param>
/// <param name="Notes">What the reader should know.</param>
internal sealed record LayoutFinding(
    string Name,
    TypeLayout Layout,
    CacheLines Lines,
    IReadOnlyList<SharedLine> Shared,
    IReadOnlyList<int>? LivePlaces,
    IReadOnlyList<string> Notes)
{
    private const int MostNamed = 4;

    /// <summary>Judges a type.</summary>
    /// <param name="layout">The type.</param>
    /// <param name="lines">The lines.</param>
    /// <param name="asArray">Whether it was asked for as an array, each element of which another thread writes.</param>
    public static LayoutFinding Of(TypeLayout layout, CacheLines lines, bool asArray)
    {
        IReadOnlyList<int>? live = layout.NotLive is null ? Analysis.Layouts.LivePlaces.Look(layout, lines.Size) : null;
        string name = TypeNames.Of(layout.Type) + (asArray ? "[]" : "");
        IReadOnlyList<SharedLine> neighbours =
            layout.Kind == LayoutKind.Struct ? LineSharing.OfNeighbours(layout, lines) : [];
        return new LayoutFinding(
            name,
            layout,
            lines,
            [.. LineSharing.Of(layout, lines, live), .. asArray ? neighbours : []],
            live,
            [
                .. TypeNotes(layout),
                .. layout.Kind == LayoutKind.Class ? WriterNotes(layout, lines)
                    : layout.Kind == LayoutKind.Struct && !asArray ? [ArrayNote(layout, lines, neighbours)]
                    : Array.Empty<string>(),
            ]);
    }

    /// <summary>The finding as it stands in a result file.</summary>
    public ResultLayout ToResult() => new()
    {
        Type = Name,
        Kind = KindName,
        Size = Layout.Size,
        Start = Layout.Start,
        Origin = Layout.Origin,
        Step = Layout.Step,
        LineSize = Lines.Size,
        Fields = [.. Layout.Fields.Select(static field => new ResultField
        {
            Path = field.Path, Type = field.TypeName, Offset = field.Offset, Size = field.Size, Writer = field.Writer,
        })],
        Gaps = [.. Layout.Gaps.Select(static gap => new ResultGap { Offset = gap.Offset, Size = gap.Size })],
        Shared = [.. Shared.Select(static one => new ResultSharing
        {
            Writers = [one.One, one.Other], Fields = one.Fields, Places = one.Places, OfPlaces = one.OfPlaces, Live = one.Live,
        })],
        LivePlaces = LivePlaces,
        Notes = Notes,
    };

    /// <summary>What it is, in words.</summary>
    public string KindName => Layout.Kind switch
    {
        LayoutKind.Class => "class",
        LayoutKind.Struct => Layout.Type.IsEnum ? "enum" : "struct",
        _ => "ref struct",
    };

    /// <summary>Names, the first few of many.</summary>
    public static string Listed(IReadOnlyList<string> names) => names.Count <= MostNamed
        ? string.Join(", ", names)
        : $"{string.Join(", ", names.Take(MostNamed))} and {names.Count - MostNamed} more";

    private static IEnumerable<string> TypeNotes(TypeLayout layout)
    {
        int fields = layout.End;
        StructLayoutAttribute? declared = layout.Type.StructLayoutAttribute;
        if (declared is { Size: > 0 } && declared.Size > fields)
        {
            yield return $"StructLayout asks for Size = {declared.Size}, but the fields take {fields} B: the runtime does not "
                + "honour a size here. Pad with a struct of that size, or with a last field.";
        }

        int[] order = [.. layout.Type.GetFields(LayoutInspector.Declared)
            .Where(field => field.DeclaringType == layout.Type)
            .Select(field => layout.Fields.First(one => one.Depth == 0 && one.Name == FieldWriters.NameOf(field)).Offset)];
        if (layout.Type.IsLayoutSequential && !order.SequenceEqual(order.Order()))
        {
            yield return "It is declared sequential, but the runtime has put the fields in an order of its own, as it does "
                + "where there are references.";
        }

        if (layout.Type.IsAbstract) yield return "It is abstract: the fields of a derived class lie behind these.";
        if (layout.NotLive is { } why) yield return $"No live one was looked at ({why}): this is what the runtime's tables say.";
    }

    private static IEnumerable<string> WriterNotes(TypeLayout layout, CacheLines lines)
    {
        int places = lines.Places(layout.Step).Count;
        foreach (IGrouping<string, FieldLayout> group in layout.Leaves
            .Where(static leaf => leaf.Writer is not null).GroupBy(static leaf => leaf.Writer!))
        {
            (string Path, int Places)[] exposed =
            [
                .. group.Select(leaf => (leaf.Path, LineSharing.PlacesBesideNeighbours(layout, lines, leaf)))
                    .Where(static one => one.Item2 > 0),
            ];
            if (exposed.Length == 0) continue;
            yield return $"{Listed([.. exposed.Select(static one => one.Path)])} ({group.Key}) may share a line with what lies "
                + $"before or behind: at up to {exposed.Max(static one => one.Places)} of {places} places.";
        }
    }

    private static string ArrayNote(TypeLayout layout, CacheLines lines, IReadOnlyList<SharedLine> neighbours) =>
        $"In an array there is one every {layout.Size} B; "
        + (neighbours is [{ } met]
            ? $"neighbours share a line at {met.Places} of {met.OfPlaces} places."
            : $"no two share a line of {lines.Size} B.");
}
