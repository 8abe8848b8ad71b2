using Raceway.Concurrency;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Analysis.Layouts;

/// <summary>Checks the classes that hold padded structs: nothing else may come onto their lines, wherever they begin.</summary>
public static class OwnTypes
{
    private const string TheRest = "the rest";

    /// <summary>The types of the ring and of the pipelines.</summary>
    public static IReadOnlyList<Type> All { get; } =
        [.. typeof(RingBuffer<>).Assembly.GetTypes(), .. typeof(Mailbox).Assembly.GetTypes(), .. typeof(Plan).Assembly.GetTypes()];

    /// <summary>Checks every class among the types that has a padded struct, and the structs as elements of arrays.</summary>
    /// <param name="types">The types.</param>
    /// <param name="lines">The lines that must not be shared.</param>
    public static IEnumerable<OwnCheck> Check(IReadOnlyList<Type> types, CacheLines lines)
    {
        foreach (Type type in types.Where(static one => HotState.Is(one)))
        {
            foreach (Type closed in ClosedTypes.Of(type, types)) yield return CheckElements(HotState.Inspect(closed), lines);
        }

        foreach (Type type in types.Where(static one => !one.IsInterface && HotState.In(one).Any()))
        {
            Type[] closed = [.. ClosedTypes.Of(type, types)];
            if (closed.Length == 0)
                yield return new OwnCheck(TypeNames.Of(type), false, "cannot be looked at: nothing meets its constraints.");
            foreach (Type one in closed) yield return CheckHolder(HotState.Inspect(one), lines);
        }
    }

    /// <summary>Checks that the padded structs known by name are there.</summary>
    public static IEnumerable<OwnCheck> CheckKnown(IReadOnlyList<Type> types) => HotState.Known
        .Where(name => !types.Any(type => TypeNames.ShortOf(type) == name))
        .Select(static name => new OwnCheck(name, false, "is gone: say in HotState what keeps its fields apart now."));

    /// <summary>Whether the padded structs of a class share a line with anything, at the places given.</summary>
    internal static OwnCheck CheckHolder(TypeLayout layout, CacheLines lines)
    {
        string[] found = [.. Sharing(layout, lines)];
        int places = lines.Places(layout.Step).Count;
        return new OwnCheck(
            TypeNames.Of(layout.Type),
            found.Length == 0,
            found.Length == 0
                ? $"hot fields by themselves at all {places} places: {layout.Leaves.Count(static leaf => leaf.Writer is not null)}."
                : string.Join(" ", found));
    }

    /// <summary>What shares a line with a padded struct, in sentences.</summary>
    internal static IEnumerable<string> Sharing(TypeLayout layout, CacheLines lines)
    {
        TypeLayout whole = layout with
        {
            Fields = [.. layout.Fields.Select(static one => one with { Writer = one.Writer ?? TheRest })],
        };
        foreach (SharedLine shared in LineSharing.Of(whole, lines))
        {
            yield return $"{shared.One} and {shared.Other} share a line of {lines.Size} B at {shared.Places} of "
                + $"{shared.OfPlaces} places: {string.Join(", ", shared.Fields)}.";
        }

        foreach (FieldLayout leaf in layout.Leaves.Where(static leaf => leaf.Writer is not null))
        {
            int places = LineSharing.PlacesBesideNeighbours(layout, lines, leaf);
            if (places > 0) yield return $"{leaf.Path} shares a line with what lies before or behind at {places} places.";
        }
    }

    private static OwnCheck CheckElements(TypeLayout layout, CacheLines lines)
    {
        string name = TypeNames.Of(layout.Type) + "[]";
        return LineSharing.OfNeighbours(layout, lines) is [{ } shared]
            ? new OwnCheck(
                name,
                false,
                $"two elements share a line at {shared.Places} of {shared.OfPlaces} places: {string.Join(", ", shared.Fields)}.")
            : new OwnCheck(name, true, $"one every {layout.Size} B: no two elements share a line.");
    }
}
