using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;
using Real = System.Runtime.Intrinsics;

namespace Raceway.Explorer.Modelled;

/// <summary>Vectors of modelled loads: plain ones, each of its own, made to count by a read barrier.</summary>
internal static unsafe class Relaxed
{
    public static int Load(int* at, string file, int line) => Access.Load(ref *at, acquire: false, file, line);
}

internal static unsafe class Vector128
{
    public static bool IsHardwareAccelerated => true;

    public static Vector128<int> Load(int* at, [CallerFilePath] string file = "", [CallerLineNumber] int line = 0) =>
        Real.Vector128.Create(
            Relaxed.Load(at, file, line), Relaxed.Load(at + 1, file, line), Relaxed.Load(at + 2, file, line), Relaxed.Load(at + 3, file, line));

    public static Vector128<int> Create(int value) => Real.Vector128.Create(value);

    public static Vector128<int> Equals(Vector128<int> left, Vector128<int> right) => Real.Vector128.Equals(left, right);
}

internal static unsafe class Vector256
{
    public static bool IsHardwareAccelerated => true;

    public static Vector256<int> Load(int* at, [CallerFilePath] string file = "", [CallerLineNumber] int line = 0) =>
        Real.Vector256.Create(Vector128.Load(at, file, line), Vector128.Load(at + 4, file, line));

    public static Vector256<int> Create(int value) => Real.Vector256.Create(value);

    public static Vector256<int> Equals(Vector256<int> left, Vector256<int> right) => Real.Vector256.Equals(left, right);
}

internal static unsafe class Vector512
{
    public static bool IsHardwareAccelerated => true;

    public static Vector512<int> Load(int* at, [CallerFilePath] string file = "", [CallerLineNumber] int line = 0) =>
        Real.Vector512.Create(Vector256.Load(at, file, line), Vector256.Load(at + 8, file, line));

    public static Vector512<int> Create(int value) => Real.Vector512.Create(value);

    public static Vector512<int> Equals(Vector512<int> left, Vector512<int> right) => Real.Vector512.Equals(left, right);
}
