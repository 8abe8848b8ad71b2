using System.Runtime.CompilerServices;

namespace Raceway.Completing;

/// <summary>Objects of one type, used again and again; see <see cref="Magazines"/>.</summary>
/// <typeparam name="T">What is pooled.</typeparam>
internal static class Pool<T>
    where T : Pooled, new()
{
    private static readonly Magazines s_magazines = new();

    /// <summary>One without another user: used before, or new. Its <see cref="Pooled.Next"/> is anything.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static T Rent()
    {
        Pooled? used = s_magazines.Take();
        // SAFETY: nothing else is ever put into these magazines (PoolTests, and any test of an executor).
        return used is null ? new T() : Unsafe.As<T>(used);
    }

    /// <summary>Gives one back. It must not be used any more.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Return(T item) => s_magazines.Put(item);
}
