using System.Reflection;
using System.Runtime.CompilerServices;

namespace Raceway.Analysis.Layouts;

/// <summary>Lists the fields of a type, and what is in those that are structs.</summary>
internal sealed class FieldWalk(FieldWriters writers, bool mayRunCode)
{
    private readonly List<FieldLayout> _found = [];

    /// <summary>What was found.</summary>
    public IReadOnlyList<FieldLayout> Found => _found;

    /// <summary>Adds the fields of a type, those of its base types among them.</summary>
    /// <param name="type">The type.</param>
    /// <param name="offsets">Tells its fields' offsets.</param>
    /// <param name="at">Where it begins.</param>
    /// <param name="path">The field that it is the type of, with a dot; empty for the type that was asked for.</param>
    /// <param name="writer">The thread that writes the fields without a writer of their own.</param>
    public void Add(Type type, OffsetSource offsets, int at, string path, string? writer)
    {
        FieldInfo[] declared = [.. Hierarchy(type).SelectMany(static part => part.GetFields(LayoutInspector.Declared))];
        foreach ((FieldInfo field, int offset) in declared
            .Select(field => (field, offsets.Of(field))).OrderBy(static one => one.Item2))
        {
            string name = path + FieldWriters.NameOf(field);
            string? by = writers.Of(field, name) ?? writer;
            if (ElementsOf(type, null) is { } elements)
                AddElements(field, elements, at + offset, SizeOf(type), name, by);
            else
                AddField(field, at + offset, name, by);
        }
    }

    private void AddField(FieldInfo field, int offset, string path, string? writer)
    {
        Type type = field.FieldType;
        if (IsPlain(type))
        {
            _found.Add(new FieldLayout(path, TypeNames.ShortOf(type), offset, SizeOf(type), IsLeaf: true, writer));
            return;
        }

        writer ??= writers.OfType(type);
        FieldInfo[] inner = type.GetFields(LayoutInspector.Declared);
        if (inner.Length == 1 && ElementsOf(type, field) is { } elements)
        {
            AddElements(inner[0], elements, offset, SizeOf(type), path, writer);
            return;
        }

        // What wraps one plain value is that value to its reader. An empty struct takes a byte that holds nothing.
        bool wraps = inner.Length == 1 && IsPlain(inner[0].FieldType) && SizeOf(type) == SizeOf(inner[0].FieldType)
            && writers.Of(inner[0], $"{path}.{FieldWriters.NameOf(inner[0])}") is null;
        bool isLeaf = wraps || inner.Length == 0;
        _found.Add(new FieldLayout(path, TypeNames.ShortOf(type), offset, SizeOf(type), isLeaf, isLeaf ? writer : null));
        if (!isLeaf) Add(type, new OffsetSource(type, mayRunCode), offset, path + ".", writer);
    }

    private void AddElements(FieldInfo element, int count, int offset, int size, string path, string? writer) =>
        _found.Add(new FieldLayout(
            path, $"{TypeNames.ShortOf(element.FieldType)} x {count}", offset, size, IsLeaf: true, writer));

    private static bool IsPlain(Type type) => !type.IsValueType || type.IsPrimitive || type.IsEnum;

    private static int SizeOf(Type type) => type.IsValueType ? RuntimeHelpers.SizeOf(type.TypeHandle) : IntPtr.Size;

    // A struct of one field that is repeated: by its own attribute, or by the one of a `fixed` field.
    private static int? ElementsOf(Type type, FieldInfo? field) =>
        type.GetCustomAttribute<InlineArrayAttribute>() is { } inline ? inline.Length
        : field?.GetCustomAttribute<FixedBufferAttribute>() is { } buffer ? buffer.Length
        : null;

    private static IEnumerable<Type> Hierarchy(Type type)
    {
        // What a struct derives from has no fields.
        for (Type? part = type; part is not null && part != typeof(ValueType); part = part.BaseType) yield return part;
    }
}
