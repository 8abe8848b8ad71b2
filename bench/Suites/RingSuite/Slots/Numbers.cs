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

/// <summary>64 bytes, a cache line: eight numbers.</summary>
[InlineArray(8)]
public struct Numbers64 : ISlot<Numbers64>
{
    private long _first;

    /// <inheritdoc/>
    public static void Write(ref Numbers64 slot, long item) => Numbers.Write(slot, item);

    /// <inheritdoc/>
    public static long Read(ref Numbers64 slot) => Numbers.Read(slot);

    /// <inheritdoc/>
    public static void Work(ref Numbers64 slot, int increments) => Numbers.Work(slot, increments);
}

/// <summary>256 bytes, four cache lines: 32 numbers.</summary>
[InlineArray(32)]
public struct Numbers256 : ISlot<Numbers256>
{
    private long _first;

    /// <inheritdoc/>
    public static void Write(ref Numbers256 slot, long item) => Numbers.Write(slot, item);

    /// <inheritdoc/>
    public static long Read(ref Numbers256 slot) => Numbers.Read(slot);

    /// <inheritdoc/>
    public static void Work(ref Numbers256 slot, int increments) => Numbers.Work(slot, increments);
}

/// <summary>Slots full of numbers: each is the item, so a part from an old lap or another slot shows.</summary>
internal static class Numbers
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Write(Span<long> numbers, long item) => numbers.Fill(item);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Read(ReadOnlySpan<long> numbers) =>
        numbers.ContainsAnyExcept(numbers[0]) ? ~numbers[0] : numbers[0];

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Work(Span<long> numbers, int increments)
    {
        // A case that is about reading all of the slot does not write it a second time.
        if (increments != 0) Write(numbers, Read(numbers) + increments);
    }
}
