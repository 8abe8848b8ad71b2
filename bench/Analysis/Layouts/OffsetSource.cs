using System.Reflection;

namespace Raceway.Analysis.Layouts;

/// <summary>Tells the offsets of one type's fields: by a live object and the runtime's tables, or by the latter alone.</summary>
internal sealed class OffsetSource
{
    private readonly Type _type;
    private readonly object? _live;

    public OffsetSource(Type type, bool mayRunCode)
    {
        _type = type;
        NotLive = LiveObject.WhyNot(type, mayRunCode);
        if (NotLive is null)
        {
            try
            {
                _live = LiveObject.Create(type);
            }
            catch (Exception error) when (error is ArgumentException or MemberAccessException or NotSupportedException
                or TypeInitializationException or OutOfMemoryException)
            {
                NotLive = $"no object can be made: {LayoutInspector.FirstLine(error.InnerException ?? error)}";
            }
        }

        if (_live is null && !RuntimeTables.AreUnderstood)
        {
            throw new LayoutException(
                $"the layout of {TypeNames.Of(type)} is not known: {NotLive}, and this runtime's tables are not those that "
                + "the tool can read. Run it on .NET 10.");
        }

        ObjectSize = _live is null
            ? RuntimeTables.ObjectSizeOf(type)
            : Agreed("size", LiveObject.SizeOf(type), RuntimeTables.ObjectSizeOf(type));
    }

    /// <summary>Why there is no live object; null where there is.</summary>
    public string? NotLive { get; }

    /// <summary>Bytes of an object, boxed where the type is a struct.</summary>
    public int ObjectSize { get; }

    /// <summary>Bytes from the first field byte to the field.</summary>
    public int Of(FieldInfo field) => _live is null
        ? RuntimeTables.OffsetOf(field)
        : Agreed(field.Name, FieldProbe.OffsetOf(_live, ObjectSize - RawObject.HeaderSize, field), RuntimeTables.OffsetOf(field));

    private int Agreed(string what, int live, int told)
    {
        if (RuntimeTables.AreUnderstood && live != told)
        {
            throw new LayoutException(
                $"the layout of {TypeNames.Of(_type)} is not known: {what} is {live} in an object and {told} in the runtime's "
                + "tables. Please report this with the type and the runtime's version.");
        }

        return live;
    }
}
