using Raceway.Explorer.Engine;
using Real = System.Runtime.CompilerServices.Unsafe;

namespace Raceway.Explorer.Modelled;

/// <summary><c>System.Runtime.CompilerServices.Unsafe</c>; who computes a slot's address in order to write is noticed.</summary>
internal static unsafe class Unsafe
{
    public static ref T Add<T>(ref T source, nint offset)
    {
        ref T element = ref Real.Add(ref source, offset);
        Notice(ref element);
        return ref element;
    }

    public static ref T Add<T>(ref T source, int offset) => ref Add(ref source, (nint)offset);

    public static ref T AddByteOffset<T>(ref T source, nint offset) => ref Real.AddByteOffset(ref source, offset);

    public static bool AreSame<T>(ref readonly T left, ref readonly T right) => Real.AreSame(in left, in right);

    public static void* AsPointer<T>(ref readonly T value) => Real.AsPointer(ref Real.AsRef(in value));

    public static ref T AsRef<T>(ref readonly T source) => ref Real.AsRef(in source);

    public static ref TTo As<TFrom, TTo>(ref TFrom source) => ref Real.As<TFrom, TTo>(ref source);

    public static T As<T>(object? value)
        where T : class? => Real.As<T>(value)!;

    public static int SizeOf<T>() => Real.SizeOf<T>();

    public static ref T NullRef<T>() => ref Real.NullRef<T>();

    private static void Notice<T>(ref T element)
    {
        if (Model.Me is { Writes: true } me) Model.Current.Touch(me, (nint)Real.AsPointer(ref element), write: true);
    }
}
