using System.Diagnostics;
using System.Runtime.CompilerServices;
using Raceway.Measuring;
using Raceway.Suites.RingSuite;

namespace Raceway.Analysis.SharingStudy;

/// <summary>One thread visits nodes in memory, in random order: a line of each, and then perhaps one beside it.</summary>
/// <remarks>
/// Each address depends on the load before it. What the second line costs over the first alone tells whether the processor had
/// fetched it meanwhile: lines 0 and 1, and 2 and 3, are pairs that begin at a multiple of 128 bytes; 1 and 2 are neighbours too,
/// but of two pairs.
/// </remarks>
internal sealed class PrefetchContestant(string name, int first, int? second, Func<LineField>? field = null) : IContestant
{
    /// <summary>The first line alone.</summary>
    public const string OneLine = "one-line";

    /// <summary>The other line of the pair, above.</summary>
    public const string PairUp = "pair-up";

    /// <summary>The other line of the pair, below.</summary>
    public const string PairDown = "pair-down";

    /// <summary>The line above, of the next pair.</summary>
    public const string NeighbourUp = "neighbour-up";

    /// <summary>The line below, of the pair before.</summary>
    public const string NeighbourDown = "neighbour-down";

    /// <summary>A line a kilobyte further, which nothing fetches unasked: what a second line costs that is not there.</summary>
    public const string FarLine = "far-line";

    private LineField? _field;
    private long _node;

    /// <inheritdoc/>
    public string Name { get; } = name;

    /// <inheritdoc/>
    public int BusyThreads => 1;

    /// <summary>Every way to visit a node.</summary>
    /// <param name="field">The memory; a large one that all share where none is given.</param>
    public static IReadOnlyList<Func<IContestant>> All(Func<LineField>? field = null) =>
    [
        () => new PrefetchContestant(OneLine, 1, null, field),
        () => new PrefetchContestant(PairUp, 0, 1, field),
        () => new PrefetchContestant(PairDown, 1, 0, field),
        () => new PrefetchContestant(NeighbourUp, 1, 2, field),
        () => new PrefetchContestant(NeighbourDown, 2, 1, field),
        () => new PrefetchContestant(FarLine, 1, 17, field),
    ];

    /// <inheritdoc/>
    public Sample Run(long operations, CancellationToken cancellation)
    {
        LineField lines = _field ??= (field ?? LineField.Shared)();
        long start = _node;
        Usage usage = Usage.Start();
        long from = Stopwatch.GetTimestamp();
        _node = second is { } other
            ? WalkTwo(lines.Lines, _node, first * LineField.LineLongs, other * LineField.LineLongs, operations)
            : WalkOne(lines.Lines, _node, first * LineField.LineLongs, operations);
        long ticks = Stopwatch.GetTimestamp() - from;
        UsageReading used = usage.Stop();
        return new Sample(
            operations, (double)ticks / Stopwatch.Frequency, IsRight(lines, start, operations),
            used.CpuSeconds, used.AllocatedBytes);
    }

    // The circle passes all nodes: where the walk ends says how many it has visited, but for whole turns.
    private bool IsRight(LineField lines, long start, long operations)
    {
        long node = start;
        for (long i = operations % lines.Nodes; i > 0; i--) node = lines.Lines[node * LineField.NodeLongs];
        return node == _node;
    }

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private static long WalkOne(AlignedBlock<long> lines, long node, int first, long count)
    {
        for (; count > 0; count--) node = lines[(node * LineField.NodeLongs) + first];
        return node;
    }

    // The shifted number is 0, and so is the word behind the second line's link; but the processor has to load both first.
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private static long WalkTwo(AlignedBlock<long> lines, long node, int first, int second, long count)
    {
        for (; count > 0; count--)
        {
            long origin = node * LineField.NodeLongs;
            long next = lines[origin + first];
            node = next + lines[origin + second + 1 + (next >> 62)];
        }

        return node;
    }
}
