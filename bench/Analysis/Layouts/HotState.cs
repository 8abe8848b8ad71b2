using System.Reflection;

namespace Raceway.Analysis.Layouts;

/// <summary>The padded structs that keep what is written often away from everything else, and the thread that writes each field.</summary>
/// <remarks>
/// A struct of an explicit size of two lines or more counts as one. Those that are there today are named as well: one that
/// loses its size has to be missed, not passed over.
/// </remarks>
public static class HotState
{
    private const int LeastSize = 128;
    private const string Owner = "its owner";

    // Where more than one thread writes into one struct. All fields of the others have one writer.
    private static readonly Dictionary<string, string> s_writers = new()
    {
        ["QueueLines.Tail"] = "posters", ["QueueLines.Limit"] = "posters", ["QueueLines.Final"] = "posters",
        ["QueueLines.Position"] = "the taker", ["QueueLines.Index"] = "the taker",
    };

    /// <summary>The padded structs of Raceway, as they are spelled.</summary>
    public static IReadOnlyList<string> Known { get; } =
        ["ClaimState", "LoopState", "PaddedLong", "QueueLines", "WorkShare.Place"];

    /// <summary>Whether a type is such a struct.</summary>
    public static bool Is(Type type) =>
        type.IsValueType && !type.IsEnum
        && ((type.StructLayoutAttribute is { Value: System.Runtime.InteropServices.LayoutKind.Explicit, Size: >= LeastSize })
            || Known.Contains(TypeNames.ShortOf(Definition(type))));

    /// <summary>The padded structs that a class has as fields.</summary>
    public static IEnumerable<Type> In(Type type)
    {
        for (Type? part = type; part is not null; part = part.BaseType)
        {
            foreach (FieldInfo field in part.GetFields(LayoutInspector.Declared))
                if (Is(field.FieldType)) yield return field.FieldType;
        }
    }

    /// <summary>Inspects a class; fields outside of its padded structs have no writer.</summary>
    public static TypeLayout Inspect(Type type)
    {
        var writers = new FieldWriters(In(type).Append(type).Where(Is).Distinct().SelectMany(static one =>
            one.GetFields(LayoutInspector.Declared).Select(field => $"{TypeNames.ShortOf(one)}.{FieldWriters.NameOf(field)}"))
            .Select(static name => KeyValuePair.Create(name, s_writers.GetValueOrDefault(name, Owner))));
        return LayoutInspector.Inspect(type, writers);
    }

    private static Type Definition(Type type) => type.IsConstructedGenericType ? type.GetGenericTypeDefinition() : type;
}
