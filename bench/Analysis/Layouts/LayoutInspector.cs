using System.Reflection;
using System.Runtime.CompilerServices;

namespace Raceway.Analysis.Layouts;

/// <summary>Finds out where the fields of a type lie.</summary>
/// <remarks>
/// Twice where it can: in a live object (<see cref="FieldProbe"/>, allocated bytes) and in the runtime's tables
/// (<see cref="RuntimeTables"/>); where the two disagree there is no answer. Where no object can be made, or making it would
/// run code of an assembly that is only to be looked at, the tables alone have to do, and the layout says so.
/// </remarks>
public static class LayoutInspector
{
    /// <summary>A type's own fields.</summary>
    public const BindingFlags Declared =
        BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;

    /// <summary>Inspects a type.</summary>
    /// <param name="type">A class or struct, closed where it is generic.</param>
    /// <param name="writers">The threads that write its fields; null: as its attributes say.</param>
    /// <param name="mayRunCode">Whether initialisers of an assembly that was loaded to be looked at may run.</param>
    /// <exception cref="LayoutException">It has no layout; the message says why.</exception>
    public static TypeLayout Inspect(Type type, FieldWriters? writers = null, bool mayRunCode = false)
    {
        if (Refusal(type) is { } why) throw new LayoutException(why);
        try
        {
            return Read(type, writers ?? new FieldWriters(), mayRunCode);
        }
        catch (Exception error) when (error is TypeLoadException or IOException or BadImageFormatException)
        {
            throw new LayoutException($"{TypeNames.Of(type)} cannot be loaded: {FirstLine(error)}", error);
        }
    }

    /// <summary>Why a type has no layout; null where it has one.</summary>
    public static string? Refusal(Type type)
    {
        string name = TypeNames.Of(type);
        return type.ContainsGenericParameters
            ? $"{name} is an open generic type: its layout depends on its arguments. Name them, as in {Example(type)}."
            : type.IsInterface ? $"{name} is an interface: it has no fields. Name a class or struct that implements it."
            : type is { IsAbstract: true, IsSealed: true } ? $"{name} is a static class: there are no objects of it."
            : type == typeof(string) ? $"{name} is as long as its text: its characters follow a length of 4 B, side by side."
            : type.IsArray
                ? $"{name} is as long as its elements. Name their type: a struct's lines in an array are shown with it."
            : type.IsPointer || type.IsByRef || type.IsFunctionPointer
                ? $"{name} is an address and has no fields. Name what lies there."
            : type == typeof(void) ? $"{name} is no value."
            : null;
    }

    /// <summary>The first line of an error, without what only a debugger wants.</summary>
    internal static string FirstLine(Exception error) => error.Message.Split('\n')[0].Trim();

    private static string Example(Type type) =>
        TypeNames.Of(type).Split('<')[0] + "<" + string.Join(", ", type.GetGenericArguments().Select(static _ => "long")) + ">";

    private static TypeLayout Read(Type type, FieldWriters writers, bool mayRunCode)
    {
        LayoutKind kind = type.IsByRefLike ? LayoutKind.RefStruct : type.IsValueType ? LayoutKind.Struct : LayoutKind.Class;
        var offsets = new OffsetSource(type, mayRunCode);
        int size = kind == LayoutKind.Class ? offsets.ObjectSize : RuntimeHelpers.SizeOf(type.TypeHandle);
        var walk = new FieldWalk(writers, mayRunCode);
        walk.Add(type, offsets, at: 0, path: "", writers.OfType(type));
        int end = kind == LayoutKind.Class ? size - RawObject.HeaderSize : size;
        return new TypeLayout
        {
            Type = type,
            Kind = kind,
            Size = size,
            Fields = walk.Found,
            Gaps = GapsOf(walk.Found.Where(static field => field.IsLeaf), end),
            NotLive = offsets.NotLive,
        };
    }

    // Fields may overlap (explicit layout), so gaps are what lies before the farthest end so far.
    private static List<Gap> GapsOf(IEnumerable<FieldLayout> leaves, int end)
    {
        var gaps = new List<Gap>();
        int covered = 0;
        foreach (FieldLayout leaf in leaves.OrderBy(static leaf => leaf.Offset))
        {
            if (leaf.Offset > covered) gaps.Add(new Gap(covered, leaf.Offset - covered, IsTrailing: false));
            covered = Math.Max(covered, leaf.End);
        }

        if (end > covered) gaps.Add(new Gap(covered, end - covered, IsTrailing: true));
        return gaps;
    }
}
