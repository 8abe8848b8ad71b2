using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;

namespace Raceway.Suites.MainJob.Hashing;

/// <summary>One message at a time.</summary>
internal readonly struct OneWord : IWords<ulong>
{
    public static void Transpose(Span<ulong> rows)
    {
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong Reverse(ulong words) => BinaryPrimitives.ReverseEndianness(words);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong All(ulong word) => word;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong Add(ulong left, ulong right) => left + right;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong Rotate(ulong words, [ConstantExpected] byte by) => BitOperations.RotateRight(words, by);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong Shift(ulong words, [ConstantExpected] byte by) => words >> by;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong Xor(ulong first, ulong second, ulong third) => first ^ second ^ third;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong Choose(ulong chooser, ulong one, ulong zero) => zero ^ (chooser & (one ^ zero));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong Majority(ulong first, ulong second, ulong third) => (first & second) | (third & (first | second));
}

/// <summary>Two messages: SSE2, and ARM64.</summary>
internal readonly struct Words128 : IWords<Vector128<ulong>>
{
    private static readonly Vector128<byte> s_reverse = Vector128.Create((byte)7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Transpose(Span<Vector128<ulong>> rows)
    {
        (Vector128<ulong> first, Vector128<ulong> second) = (rows[0], rows[1]);
        rows[0] = Vector128.Create(first.GetLower(), second.GetLower());
        rows[1] = Vector128.Create(first.GetUpper(), second.GetUpper());
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector128<ulong> Reverse(Vector128<ulong> words) => Vector128.Shuffle(words.AsByte(), s_reverse).AsUInt64();

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector128<ulong> All(ulong word) => Vector128.Create(word);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector128<ulong> Add(Vector128<ulong> left, Vector128<ulong> right) => left + right;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector128<ulong> Rotate(Vector128<ulong> words, [ConstantExpected] byte by) => (words >>> by) | (words << (64 - by));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector128<ulong> Shift(Vector128<ulong> words, [ConstantExpected] byte by) => words >>> by;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector128<ulong> Xor(Vector128<ulong> first, Vector128<ulong> second, Vector128<ulong> third) => first ^ second ^ third;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector128<ulong> Choose(Vector128<ulong> chooser, Vector128<ulong> one, Vector128<ulong> zero) =>
        zero ^ (chooser & (one ^ zero));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector128<ulong> Majority(Vector128<ulong> first, Vector128<ulong> second, Vector128<ulong> third) =>
        (first & second) | (third & (first | second));
}

/// <summary>Four messages: AVX2, with the rotations of AVX-512 where they are there.</summary>
internal readonly struct Words256 : IWords<Vector256<ulong>>
{
    private static readonly Vector256<byte> s_reverse = Vector256.Create(
        (byte)7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Transpose(Span<Vector256<ulong>> rows)
    {
        (Vector256<ulong> r0, Vector256<ulong> r1, Vector256<ulong> r2, Vector256<ulong> r3) = (rows[0], rows[1], rows[2], rows[3]);
        Vector256<ulong> even01 = Avx2.UnpackLow(r0, r1), odd01 = Avx2.UnpackHigh(r0, r1);
        Vector256<ulong> even23 = Avx2.UnpackLow(r2, r3), odd23 = Avx2.UnpackHigh(r2, r3);
        rows[0] = Avx2.Permute2x128(even01, even23, 0x20);
        rows[1] = Avx2.Permute2x128(odd01, odd23, 0x20);
        rows[2] = Avx2.Permute2x128(even01, even23, 0x31);
        rows[3] = Avx2.Permute2x128(odd01, odd23, 0x31);
    }

    // Within each half, as the instruction does.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector256<ulong> Reverse(Vector256<ulong> words) => Avx2.Shuffle(words.AsByte(), s_reverse).AsUInt64();

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector256<ulong> All(ulong word) => Vector256.Create(word);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector256<ulong> Add(Vector256<ulong> left, Vector256<ulong> right) => left + right;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector256<ulong> Rotate(Vector256<ulong> words, [ConstantExpected] byte by) =>
        Avx512F.VL.IsSupported ? Avx512F.VL.RotateRight(words, by) : (words >>> by) | (words << (64 - by));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector256<ulong> Shift(Vector256<ulong> words, [ConstantExpected] byte by) => words >>> by;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector256<ulong> Xor(Vector256<ulong> first, Vector256<ulong> second, Vector256<ulong> third) => first ^ second ^ third;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector256<ulong> Choose(Vector256<ulong> chooser, Vector256<ulong> one, Vector256<ulong> zero) =>
        zero ^ (chooser & (one ^ zero));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector256<ulong> Majority(Vector256<ulong> first, Vector256<ulong> second, Vector256<ulong> third) =>
        (first & second) | (third & (first | second));
}

/// <summary>Eight messages: AVX-512, which rotates and combines three operands in one instruction each.</summary>
internal readonly struct Words512 : IWords<Vector512<ulong>>
{
    // Truth tables of three operands, a bit for each of their values together.
    private const byte XorOfThree = 0x96, Chosen = 0xCA, MajorityOfThree = 0xE8;

    private static readonly Vector512<byte> s_reverse = Vector512.Create(Vector256.Create(
        (byte)7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8));

    // Pairs of words 0, 1 and 4, 5 of two rows; 2, 3 and 6, 7; halves.
    private static readonly Vector512<ulong> s_lowPairs = Vector512.Create(0UL, 1, 8, 9, 4, 5, 12, 13);
    private static readonly Vector512<ulong> s_highPairs = Vector512.Create(2UL, 3, 10, 11, 6, 7, 14, 15);
    private static readonly Vector512<ulong> s_lowHalves = Vector512.Create(0UL, 1, 2, 3, 8, 9, 10, 11);
    private static readonly Vector512<ulong> s_highHalves = Vector512.Create(4UL, 5, 6, 7, 12, 13, 14, 15);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Transpose(Span<Vector512<ulong>> rows)
    {
        (Vector512<ulong> even01, Vector512<ulong> odd01) = Unpacked(rows[0], rows[1]);
        (Vector512<ulong> even23, Vector512<ulong> odd23) = Unpacked(rows[2], rows[3]);
        (Vector512<ulong> even45, Vector512<ulong> odd45) = Unpacked(rows[4], rows[5]);
        (Vector512<ulong> even67, Vector512<ulong> odd67) = Unpacked(rows[6], rows[7]);
        (rows[0], rows[4]) = Halves(Low(even01, even23), Low(even45, even67));
        (rows[1], rows[5]) = Halves(Low(odd01, odd23), Low(odd45, odd67));
        (rows[2], rows[6]) = Halves(High(even01, even23), High(even45, even67));
        (rows[3], rows[7]) = Halves(High(odd01, odd23), High(odd45, odd67));
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector512<ulong> Reverse(Vector512<ulong> words) => Avx512BW.Shuffle(words.AsByte(), s_reverse).AsUInt64();

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static (Vector512<ulong> Even, Vector512<ulong> Odd) Unpacked(Vector512<ulong> first, Vector512<ulong> second) =>
        (Avx512F.UnpackLow(first, second), Avx512F.UnpackHigh(first, second));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector512<ulong> Low(Vector512<ulong> first, Vector512<ulong> second) =>
        Avx512F.PermuteVar8x64x2(first, s_lowPairs, second);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector512<ulong> High(Vector512<ulong> first, Vector512<ulong> second) =>
        Avx512F.PermuteVar8x64x2(first, s_highPairs, second);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static (Vector512<ulong> Low, Vector512<ulong> High) Halves(Vector512<ulong> first, Vector512<ulong> second) =>
        (Avx512F.PermuteVar8x64x2(first, s_lowHalves, second), Avx512F.PermuteVar8x64x2(first, s_highHalves, second));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector512<ulong> All(ulong word) => Vector512.Create(word);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector512<ulong> Add(Vector512<ulong> left, Vector512<ulong> right) => left + right;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector512<ulong> Rotate(Vector512<ulong> words, [ConstantExpected] byte by) => Avx512F.RotateRight(words, by);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector512<ulong> Shift(Vector512<ulong> words, [ConstantExpected] byte by) => words >>> by;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector512<ulong> Xor(Vector512<ulong> first, Vector512<ulong> second, Vector512<ulong> third) =>
        Avx512F.TernaryLogic(first, second, third, XorOfThree);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector512<ulong> Choose(Vector512<ulong> chooser, Vector512<ulong> one, Vector512<ulong> zero) =>
        Avx512F.TernaryLogic(chooser, one, zero, Chosen);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static Vector512<ulong> Majority(Vector512<ulong> first, Vector512<ulong> second, Vector512<ulong> third) =>
        Avx512F.TernaryLogic(first, second, third, MajorityOfThree);
}
