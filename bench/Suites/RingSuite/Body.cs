using System.Runtime.CompilerServices;

namespace Raceway.Suites.RingSuite;

/// <summary>
/// The work of the ring cases, the same for every contestant: what is published, and what a stage does with it.
/// </summary>
/// <remarks>
/// Producer <c>p</c> publishes <c>First(p) + i · Stride</c> as its item <c>i</c>. The stride is large and odd but for
/// its three lowest bits, which are zero: so the lowest three bits of an item name its producer, and no contestant gets an
/// item right by giving back a sequence number, a neighbour or an old lap.
/// </remarks>
public static class Body
{
    /// <summary>The most producers that an item can name.</summary>
    public const int MaxProducers = 8;

    /// <summary>The distance of a producer's items.</summary>
    public const long Stride = unchecked((long)0x9E37_79B9_7F4A_7C18);

    private const long Seed = 0x0123_4567_89AB_CDE0;

    /// <summary>The first item of a producer.</summary>
    public static long First(int producer) => Seed + producer;

    /// <summary>What a stage does with an item.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Work(ref long item, int increments) => item += increments;

    /// <summary>How many of all items one producer publishes.</summary>
    public static long ShareOf(int producer, int producers, long items) =>
        (items / producers) + (producer < items % producers ? 1 : 0);

    /// <summary>The sum of a producer's first <paramref name="items"/> items, modulo 2⁶⁴, by formula.</summary>
    public static long SumOf(int producer, long items)
    {
        // n(n-1)/2 is exact before it wraps: the even one of the two is halved first.
        long pairs = items % 2 == 0 ? items / 2 * (items - 1) : (items - 1) / 2 * items;
        return unchecked((items * First(producer)) + (pairs * Stride));
    }
}
