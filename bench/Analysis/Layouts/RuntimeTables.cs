using System.Reflection;
using System.Runtime.CompilerServices;

namespace Raceway.Analysis.Layouts;

/// <summary>What the runtime's own tables say of a type, read without running any code of its assembly.</summary>
/// <remarks>
/// The tables are the runtime's private business, so they are believed only where they say the same as
/// <see cref="FieldProbe"/> of a type that has fields of every kind (<see cref="AreUnderstood"/>). Every layout that can be
/// probed is compared with them again.
/// </remarks>
internal static unsafe class RuntimeTables
{
    // A field's entry: the address of its type's table, a word of flags, a word with the offset in its lower 27 bits.
    private const uint OffsetBits = (1u << 27) - 1;

    /// <summary>Whether this runtime keeps its tables as this class reads them.</summary>
    public static bool AreUnderstood { get; } = AgreeWithProbe();

    /// <summary>Bytes from the first field byte to the field.</summary>
    // SAFETY: the handle of a field is the address of its entry, which lives as long as the type; only read.
    public static int OffsetOf(FieldInfo field) =>
        (int)(*(uint*)((byte*)field.FieldHandle.Value + IntPtr.Size + sizeof(uint)) & OffsetBits);

    /// <summary>Bytes that an object of the type takes, header included; boxed where it is a struct.</summary>
    // SAFETY: the handle of a type that has objects is the address of its method table. The second word there is the size.
    public static int ObjectSizeOf(Type type) => *(int*)((byte*)type.TypeHandle.Value + sizeof(uint));

    private static bool AgreeWithProbe()
    {
        var known = new Known();
        int size = LiveObject.SizeOf(typeof(Known));
        return ObjectSizeOf(typeof(Known)) == size
            && typeof(Known).GetFields(LayoutInspector.Declared).All(field =>
                OffsetOf(field) == FieldProbe.OffsetOf(known, size - RawObject.HeaderSize, field));
    }

    // Read by reflection alone.
#pragma warning disable CS0169, CS0649, IDE0051
    private sealed class Known
    {
        private byte _small;
        private object? _reference;
        private double _large;
        private Guid _struct;
        private char _character;
        private int* _pointer;
        private DayOfWeek _enum;
        private int? _nullable;
        private bool _last;
    }
#pragma warning restore CS0169, CS0649, IDE0051
}
