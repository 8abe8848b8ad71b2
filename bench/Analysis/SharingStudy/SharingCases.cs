using System.Globalization;
using Raceway.Measuring;
using Raceway.Suites.RingSuite;

namespace Raceway.Analysis.SharingStudy;

/// <summary>The cases of the false-sharing study: bare cells, hand-written rings, the prefetcher, and the real ring.</summary>
public static class SharingCases
{
    /// <summary>The distance that no line and no pair of lines spans; the figures of others are divided by its.</summary>
    public const int Farthest = 192;

    internal const string Locked = "counters/locked";
    internal const string Read = "counters/read";
    internal const string Store = "counters/store";
    internal const string Prefetch = "prefetch";

    private const int Pair = 128;
    private static readonly int[] s_threads = [1, 2];
    private static readonly Availability[] s_withoutStride =
        [Availability.Cursor, Availability.Int, Availability.Bit, Availability.InSlot, Availability.Padded];

    /// <summary>Bytes from one cell to the other, ascending; 0 is the same word.</summary>
    public static IReadOnlyList<int> Strides { get; } = [0, 8, 16, 32, 64, Pair, Farthest];

    /// <summary>All cases.</summary>
    public static IReadOnlyList<SuiteCase> All { get; } =
    [
        .. CellOperation.All.Select(Counters),
        new(
            "cells", "a hand-written ring: bytes from the producer's cell to the consumer's", MetricKind.Overhead,
            [.. Along(stride => new BareLayout(Availability.Cursor, stride, sizeof(long)))])
        {
            Along = new Axis(BareLayout.CellsKnob, "bytes"),
            Reference = NameOf(2, Farthest),
        },
        new(
            "availability", "a hand-written ring: how it says what is published", MetricKind.Overhead,
            [.. s_threads.SelectMany(static threads => s_withoutStride.Select<Availability, Func<IContestant>>(kind => () =>
                Bare(threads, new BareLayout(kind, Pair, kind == Availability.InSlot ? 16 : sizeof(long)))))])
        {
            Reference = $"{CellContestant.NameOf(2)}/cursor",
        },
        new(
            "slots", "a hand-written ring with a stamp a slot: bytes from slot to slot", MetricKind.Overhead,
            [
                .. Along(static stride => new BareLayout(Availability.Int, Pair, stride), "int"),
                .. Along(static stride => new BareLayout(Availability.InSlot, Pair, stride), "in-slot", least: 16),
            ])
        {
            Along = new Axis(BareLayout.SlotsKnob, "bytes"),
            Reference = $"{CellContestant.NameOf(2)}/int/8",
        },
        new(
            Prefetch, "one thread visits random nodes in memory: a line of each, or that and one beside it", MetricKind.Overhead,
            PrefetchContestant.All())
        {
            // Differences of what is seldom the same twice: longer rounds than a loop over two cells needs.
            Rounds = new RoundPlan { Stretch = 4 },
            Reference = PrefetchContestant.OneLine,
        },
        .. RingPaddings.Cases,
    ];

    /// <summary>The name of a contestant of the cells.</summary>
    internal static string NameOf(int threads, int stride) =>
        string.Create(CultureInfo.InvariantCulture, $"{CellContestant.NameOf(threads)}/{stride}");

    private static SuiteCase Counters(CellOperation operation) =>
        new(
            $"counters/{operation.Name}", $"{operation.Does}; bytes from cell to cell", MetricKind.Overhead,
            [.. s_threads.SelectMany(threads => Strides.Select<int, Func<IContestant>>(stride =>
                () => new CellContestant(operation, stride, threads)))])
        {
            Along = new Axis(CellContestant.StrideKnob, "bytes"),
            Reference = NameOf(2, Farthest),
        };

    private static IEnumerable<Func<IContestant>> Along(Func<int, BareLayout> layout, string? series = null, int least = 0) =>
        from threads in s_threads
        from stride in Strides
        where stride >= Math.Max(least, sizeof(long))
        let name = $"{CellContestant.NameOf(threads)}/{(series is null ? "" : series + "/")}"
        select (Func<IContestant>)(() => new BareRingContestant(
            string.Create(CultureInfo.InvariantCulture, $"{name}{stride}"), layout(stride), threads));

    private static BareRingContestant Bare(int threads, BareLayout layout) =>
        new($"{CellContestant.NameOf(threads)}/{layout.AvailabilityName}", layout, threads);
}
