using System.Reflection;
using System.Runtime.CompilerServices;

namespace Raceway.Analysis.Layouts;

/// <summary>Finds fields in a live object.</summary>
/// <remarks>
/// By subtraction of managed pointers, which a collection keeps right: a <see cref="TypedReference"/> has the field's, a
/// view of the object its first byte's. The runtime makes no typed reference to a primitive or a pointer: there a value of
/// ones is written and looked for. Only public members of the runtime are used, and no code is generated.
/// </remarks>
internal static class FieldProbe
{
    private static readonly MethodInfo s_distance =
        typeof(FieldProbe).GetMethod(nameof(Distance), BindingFlags.NonPublic | BindingFlags.Static)!;

    /// <summary>Bytes from the object's first field byte to <paramref name="field"/>.</summary>
    /// <param name="target">An object that nothing else uses, all zero: a boxed one where the field is a struct's.</param>
    /// <param name="size">Bytes of the object behind the method table's address.</param>
    /// <param name="field">An instance field of it. Its type is no ref struct.</param>
    public static int OffsetOf(object target, int size, FieldInfo field) =>
        Ones(field.FieldType) is { } ones
            ? OffsetOfOnes(target, size, field, ones)
            : s_distance.MakeGenericMethod(field.FieldType).CreateDelegate<Func<object, FieldInfo, int>>()(target, field);

    private static int OffsetOfOnes(object target, int size, FieldInfo field, object ones)
    {
        Span<byte> bytes = RawObject.Bytes(target, size);
        field.SetValue(target, ones);
        int offset = bytes.IndexOfAnyExcept((byte)0);
        bytes.Clear();
        return offset;
    }

    private static int Distance<TField>(object target, FieldInfo field)
    {
        TypedReference reference = TypedReference.MakeTypedReference(target, [field]);
        ref TField found = ref __refvalue(reference, TField);
        return (int)Unsafe.ByteOffset(ref RawObject.FirstByte(target), ref Unsafe.As<TField, byte>(ref found));
    }

    // A value with a lowest byte that is not 0, for each type that a typed reference cannot be made to.
    private static unsafe object? Ones(Type type) =>
        type.IsPointer ? Pointer.Box((void*)-1, type)
        : type.IsFunctionPointer || type == typeof(nint) ? (nint)(-1)
        : type == typeof(nuint) ? nuint.MaxValue
        : !type.IsPrimitive ? null
        : Type.GetTypeCode(type) switch
        {
            TypeCode.Boolean => true,
            TypeCode.Char => char.MaxValue,
            TypeCode.SByte => (sbyte)-1,
            TypeCode.Byte => byte.MaxValue,
            TypeCode.Int16 => (short)-1,
            TypeCode.UInt16 => ushort.MaxValue,
            TypeCode.Int32 => -1,
            TypeCode.UInt32 => uint.MaxValue,
            TypeCode.Int64 => -1L,
            TypeCode.UInt64 => ulong.MaxValue,
            TypeCode.Single => BitConverter.Int32BitsToSingle(-1),
            _ => BitConverter.Int64BitsToDouble(-1),
        };
}
