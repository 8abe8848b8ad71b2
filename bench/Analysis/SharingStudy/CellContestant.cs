using System.Diagnostics;
using System.Globalization;
using Raceway.Measuring;
using Raceway.Suites.RingSuite;

namespace Raceway.Analysis.SharingStudy;

/// <summary>A thread works on a cell, a neighbour on another one some bytes away; or one thread on both in turn.</summary>
/// <remarks>
/// The thread that is timed has the cell at the start of a line pair. Its neighbour works until it is done, so that no part of a round
/// is without it. Where there are exactly two processors each thread stays on one, the same two that the line's round trip
/// is measured between.
/// </remarks>
internal sealed class CellContestant(CellOperation operation, int stride, int threads) : IContestant
{
    /// <summary>The knob that says how far apart the cells lie.</summary>
    public const string StrideKnob = "stride";

    private const int Chunk = 1024;
    private const int NeighbourChunk = 64;
    private const int TurnChunk = 16;
    private const int FarthestStride = 192;
    private const int PollsBeforeYield = 20_000;

    // The control words lie in another block than the cells: in lines that no thread writes while a round runs.
    private const int HereWord = 0, ThereWord = 32, StopWord = 64;

    private readonly AlignedBlock<long> _cells = new((FarthestStride / sizeof(long)) + 1);
    private readonly AlignedBlock<long> _control = new(StopWord + 1);

    /// <inheritdoc/>
    public string Name { get; } = string.Create(CultureInfo.InvariantCulture, $"{NameOf(threads)}/{stride}");

    /// <inheritdoc/>
    public int BusyThreads => threads;

    /// <inheritdoc/>
    public IReadOnlyDictionary<string, string> Knobs { get; } = new Dictionary<string, string>
    {
        [StrideKnob] = stride.ToString(CultureInfo.InvariantCulture),
        ["op"] = operation.Name,
        ["threads"] = threads.ToString(CultureInfo.InvariantCulture),
    };

    /// <summary>Does an operation more than is counted: the round must then not be verified.</summary>
    public bool Corrupt { get; init; }

    /// <summary>How a number of threads is called in the names of contestants.</summary>
    public static string NameOf(int threads) => threads == 1 ? "one-thread" : "two-threads";

    /// <inheritdoc/>
    public Sample Run(long operations, CancellationToken cancellation)
    {
        Mine = operation.Initial;
        if (stride != 0) Theirs = operation.Neighbour.Initial;
        foreach (int word in (ReadOnlySpan<int>)[HereWord, ThereWord, StopWord]) _control[word] = 0;
        CellTally own = default, neighbour = default;
        long ticks = 0;
        UsageReading used;
        using (var roundThreads = new RoundThreads(cancellation))
        {
            if (threads == 1)
            {
                roundThreads.Add(() => ticks = InTurn(operations, ref own, ref neighbour, cancellation));
            }
            else
            {
                roundThreads.Add(() => ticks = Work(operations, ref own, roundThreads.Cancellation));
                roundThreads.Add(() => Accompany(ref neighbour, roundThreads.Cancellation));
            }

            used = roundThreads.Run();
        }

        if (Corrupt) Mine++;
        bool right = stride == 0
            ? operation.IsRightTogether(Mine, own, neighbour)
            : operation.IsRight(Mine, own) && operation.Neighbour.IsRight(Theirs, neighbour);
        long done = own.Done + (threads == 1 ? neighbour.Done : 0);
        return new Sample(
            done, (double)ticks / Stopwatch.Frequency, right && done == operations, used.CpuSeconds, used.AllocatedBytes);
    }

    private ref long Mine => ref _cells[0];

    private ref long Theirs => ref _cells[stride / sizeof(long)];

    private long Work(long operations, ref CellTally tally, CancellationToken cancellation)
    {
        _ = Placement.Pin(0);
        try
        {
            Meet(HereWord, ThereWord, cancellation);
            long start = Stopwatch.GetTimestamp();
            while (tally.Done < operations)
            {
                cancellation.ThrowIfCancellationRequested();
                operation.Run(ref Mine, (int)Math.Min(Chunk, operations - tally.Done), ref tally);
            }

            return Stopwatch.GetTimestamp() - start;
        }
        finally
        {
            Volatile.Write(ref _control[StopWord], 1);
        }
    }

    private void Accompany(ref CellTally tally, CancellationToken cancellation)
    {
        _ = Placement.Pin(1);
        Meet(ThereWord, HereWord, cancellation);

        // At least once: on a single processor the other one may be done before this one runs again.
        do operation.Neighbour.Run(ref Theirs, NeighbourChunk, ref tally);
        while (Volatile.Read(ref _control[StopWord]) == 0);
    }

    private long InTurn(long operations, ref CellTally own, ref CellTally neighbour, CancellationToken cancellation)
    {
        _ = Placement.Pin(0);
        long start = Stopwatch.GetTimestamp();
        for (long left = operations; left > 0; left -= 2 * TurnChunk)
        {
            cancellation.ThrowIfCancellationRequested();
            int mine = (int)Math.Min(TurnChunk, (left + 1) / 2);
            operation.Run(ref Mine, mine, ref own);
            operation.Neighbour.Run(ref Theirs, (int)Math.Min(TurnChunk, left - mine), ref neighbour);
        }

        return Stopwatch.GetTimestamp() - start;
    }

    // Both begin together: a thread that starts late would leave the other one alone.
    private void Meet(int own, int other, CancellationToken cancellation)
    {
        Volatile.Write(ref _control[own], 1);
        for (int polls = 0; Volatile.Read(ref _control[other]) == 0; polls++)
        {
            if (polls < PollsBeforeYield) continue;
            cancellation.ThrowIfCancellationRequested();
            Thread.Yield();
        }
    }
}
