using System.Runtime.CompilerServices;

namespace Raceway.Suites.RingSuite;

/// <summary>8 bytes: the item and nothing else.</summary>
public struct Number : ISlot<Number>
{
    private long _item;

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Write(ref Number slot, long item) => slot._item = item;

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Read(ref Number slot) => slot._item;

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Work(ref Number slot, int increments) => Body.Work(ref slot._item, increments);
}
