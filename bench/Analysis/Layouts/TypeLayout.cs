namespace Raceway.Analysis.Layouts;

/// <summary>What an inspected type is.</summary>
public enum LayoutKind
{
    /// <summary>Objects on the heap.</summary>
    Class,

    /// <summary>Values: within objects, arrays and the stack.</summary>
    Struct,

    /// <summary>Values that live on the stack alone.</summary>
    RefStruct,
}

/// <summary>Where the fields of a type lie.</summary>
/// <remarks>
/// Offsets count as <see cref="System.Runtime.InteropServices.FieldOffsetAttribute"/> does: 0 is the first byte behind an
/// object's method table, or the first byte of a struct.
/// </remarks>
public sealed record TypeLayout
{
    /// <summary>The type.</summary>
    public required Type Type { get; init; }

    /// <summary>What it is.</summary>
    public required LayoutKind Kind { get; init; }

    /// <summary>Bytes: of an object with its header, of a struct as an array's element has them.</summary>
    public required int Size { get; init; }

    /// <summary>Its fields, nested structs followed by what is in them, in the order of their offsets.</summary>
    public required IReadOnlyList<FieldLayout> Fields { get; init; }

    /// <summary>Bytes that belong to no field, in the order of their offsets.</summary>
    public required IReadOnlyList<Gap> Gaps { get; init; }

    /// <summary>Why no live object was looked at; null where one was, and said the same as the runtime's tables.</summary>
    public string? NotLive { get; init; }

    /// <summary>The offset of its first byte: an object's header lies before its fields.</summary>
    public int Start => Kind == LayoutKind.Class ? -RawObject.HeaderSize : 0;

    /// <summary>The offset behind its last byte.</summary>
    public int End => Start + Size;

    /// <summary>The offset that its address is that of: a reference points to the method table.</summary>
    public int Origin => Kind == LayoutKind.Class ? -IntPtr.Size : 0;

    /// <summary>Its address is always a multiple of this.</summary>
    public int Step => Kind == LayoutKind.Class ? IntPtr.Size : StepOf(Size);

    /// <summary>The fields that hold something themselves.</summary>
    public IEnumerable<FieldLayout> Leaves => Fields.Where(static one => one.IsLeaf);

    // Elements of an array begin at the first one's address, a multiple of a word, plus multiples of their size.
    private static int StepOf(int size) => Math.Min(size & -size, IntPtr.Size);
}

/// <summary>A field, or what is nested in one.</summary>
/// <param name="Path">Its name, behind those of the fields around it.</param>
/// <param name="TypeName">The type as C# spells it.</param>
/// <param name="Offset">Its first byte.</param>
/// <param name="Size">Its bytes.</param>
/// <param name="IsLeaf">Whether nothing of it is listed by itself.</param>
/// <param name="Writer">The thread that writes it, if that is known.</param>
public sealed record FieldLayout(string Path, string TypeName, int Offset, int Size, bool IsLeaf, string? Writer)
{
    /// <summary>How many fields are around it.</summary>
    public int Depth => Path.Count(static c => c == '.');

    /// <summary>Its name alone.</summary>
    public string Name => Path[(Path.LastIndexOf('.') + 1)..];

    /// <summary>The offset behind its last byte.</summary>
    public int End => Offset + Size;
}

/// <summary>Bytes that belong to no field.</summary>
/// <param name="Offset">The first one.</param>
/// <param name="Size">How many.</param>
/// <param name="IsTrailing">Whether they end the type.</param>
public sealed record Gap(int Offset, int Size, bool IsTrailing);

/// <summary>A type that has no layout, or one that cannot be found out; the message says why.</summary>
public sealed class LayoutException(string message, Exception? inner = null) : Exception(message, inner);
