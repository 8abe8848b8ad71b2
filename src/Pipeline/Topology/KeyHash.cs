using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Raceway.Pipelines;

/// <summary>Hashes keys of lanes: well spread in all bits, and for numbers, strings and Guids the same in every process.</summary>
/// <remarks>
/// By it keyed lanes, and the partitions of links, know where a key belongs. What is placed by it may be stored: it stays as it
/// is. <b>Threads</b>: any. <b>Cost</b>: some nanoseconds, nothing allocated, but by <c>GetHashCode</c> of other types.
/// The hash codes of the runtime will not do: those of numbers are the numbers, those of strings differ from process to
/// process. The finalizer is a multiply-and-fold of two rounds, after those of MurmurHash3 (Appleby, 2011).
/// </remarks>
/// <example>
/// <code>
/// int lane = KeyHash.LaneOf(KeyHash.Of(order.Customer), lanes: 4);  // the same in every process
/// </code>
/// </example>
public static class KeyHash
{
    private const ulong First = 0x9E37_79B9_7F4A_7C15;
    private const ulong Second = 0xD6E8_FEB8_6659_FD93;

    /// <summary>The hash of a key; of other types than those it is that of their hash code.</summary>
    /// <param name="key">The key.</param>
    /// <exception cref="ArgumentNullException">The key is null.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong Of<TKey>(TKey key)
        where TKey : notnull, IEquatable<TKey>
    {
        // Comparisons of types are constants in the code of each value type.
        if (typeof(TKey) == typeof(long)) return Mix((ulong)(long)(object)key);
        if (typeof(TKey) == typeof(ulong)) return Mix((ulong)(object)key);
        if (typeof(TKey) == typeof(int)) return Mix((uint)(int)(object)key);
        if (typeof(TKey) == typeof(uint)) return Mix((uint)(object)key);
        if (typeof(TKey) == typeof(Guid)) return OfGuid((Guid)(object)key);
        if (typeof(TKey).IsValueType) return Mix((uint)key.GetHashCode());
        return OfObject(key);
    }

    /// <summary>The lane of a hash, by its upper bits.</summary>
    /// <param name="hash">What <see cref="Of"/> has given.</param>
    /// <param name="lanes">How many lanes there are, 1 or more.</param>
    /// <returns>0 to <paramref name="lanes"/> less 1.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="lanes"/> is below 1.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int LaneOf(ulong hash, int lanes)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(lanes, 1);
        return (int)(((hash >> 32) * (uint)lanes) >> 32);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Mix(ulong value)
    {
        value *= First;
        value ^= value >> 32;
        value *= Second;
        return value ^ (value >> 32);
    }

    private static ulong OfGuid(Guid key)
    {
        ReadOnlySpan<ulong> halves = MemoryMarshal.Cast<Guid, ulong>(new ReadOnlySpan<Guid>(in key));
        return Mix(Mix(halves[0]) ^ halves[1]);
    }

    private static ulong OfObject<TKey>(TKey key) => key switch
    {
        null => throw new ArgumentNullException(
            nameof(key), "The key of an item must not be null: key=null. Give items without a key a key of their own."),
        string text => OfText(text),
        _ => Mix((uint)key.GetHashCode()),
    };

    private static ulong OfText(string text)
    {
        ReadOnlySpan<byte> left = MemoryMarshal.AsBytes(text.AsSpan());
        ulong hash = (ulong)left.Length * First;
        for (; left.Length >= sizeof(ulong); left = left[sizeof(ulong)..])
            hash = BitOperations.RotateLeft((hash ^ MemoryMarshal.Read<ulong>(left)) * Second, 29);
        ulong tail = 0;
        foreach (byte one in left) tail = (tail << 8) | one;
        return Mix(hash ^ tail);
    }
}
