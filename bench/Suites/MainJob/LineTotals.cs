using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;
using Raceway.Measuring;

namespace Raceway.Suites.MainJob;

/// <summary>The last stage and the result: counts, an order-sensitive fold, latencies, and the digests of the files.</summary>
/// <remarks>
/// One thread at a time adds to it; read it when that thread is done. It releases a chunk when it moves on to the next
/// one, so a chunk goes back once, not once a line.
/// </remarks>
public sealed class LineTotals
{
    private static readonly double s_nanosecondsPerTick = 1e9 / Stopwatch.Frequency;

    private readonly long[] _kinds = new long[(int)LineKind.Event + 1];
    private readonly FileDigests? _digests;
    private readonly LatencyHistogram? _latency;
    private readonly long _target;
    private Chunk? _chunk;
    private long _lines;
    private long _bytes;
    private ulong _fold;

    /// <summary>Creates empty totals.</summary>
    /// <param name="target">Lines after which the work is done, where that is known.</param>
    /// <param name="digests">Takes the bytes of every file, where a manifest is asked for.</param>
    /// <param name="latency">Takes the latencies of stamped lines, in nanoseconds.</param>
    public LineTotals(long target = long.MaxValue, FileDigests? digests = null, LatencyHistogram? latency = null)
    {
        _target = target;
        _digests = digests;
        _latency = latency;
    }

    /// <summary>Lines counted.</summary>
    public long Lines => _lines;

    /// <summary>Bytes of all lines with their line feeds: the bytes of the input.</summary>
    public long Bytes => _bytes;

    /// <summary>Lines of each <see cref="LineKind"/>.</summary>
    public ReadOnlySpan<long> Kinds => _kinds;

    /// <summary>The fold over all lines; any line lost, doubled, changed or out of order changes it.</summary>
    public ulong Fold => _fold;

    /// <summary>When the last line of the target was counted (timer ticks); 0 before.</summary>
    public long FinishedAt { get; private set; }

    /// <summary>Stage three: counts one line.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Add<TItem>(ref TItem item)
        where TItem : struct, ILineItem<TItem>
    {
        ref Line line = ref TItem.LineOf(ref item);
        if (!ReferenceEquals(line.Chunk, _chunk) || line.Intended != 0 || _digests is not null)
        {
            Note(ref line);
        }

        _bytes += line.Length + line.Terminator;
        _kinds[(int)line.Kind]++;
        _fold = Step(_fold, TItem.FoldOf(ref item));
        if (++_lines == _target)
        {
            FinishedAt = Stopwatch.GetTimestamp();
        }
    }

    /// <summary>Stage three over a batch: the same, with the sums kept in registers meanwhile.</summary>
    public void Add<TItem>(Span<TItem> items)
        where TItem : struct, ILineItem<TItem>
    {
        long bytes = _bytes;
        ulong fold = _fold;
        Chunk? chunk = _chunk;
        bool digests = _digests is not null;
        long[] kinds = _kinds;
        foreach (ref TItem item in items)
        {
            ref Line line = ref TItem.LineOf(ref item);
            if (!ReferenceEquals(line.Chunk, chunk) || line.Intended != 0 || digests)
            {
                Note(ref line);
                chunk = line.Chunk;
            }

            bytes += line.Length + line.Terminator;
            kinds[(int)line.Kind]++;
            fold = Step(fold, TItem.FoldOf(ref item));
        }

        _bytes = bytes;
        _fold = fold;
        _lines += items.Length;
        if (_lines >= _target && FinishedAt == 0)
        {
            FinishedAt = Stopwatch.GetTimestamp();
        }
    }

    /// <summary>Ends the result when the last line has passed: the last file's digest, the last chunk.</summary>
    public void Complete()
    {
        _digests?.Complete();
        _chunk?.Release();
        _chunk = null;
    }

    /// <summary>One step of the fold: rotating and multiplying make the order count.</summary>
    internal static ulong Step(ulong fold, ulong value) =>
        (BitOperations.RotateLeft(fold, 5) ^ value) * 0x9E37_79B9_7F4A_7C15;

    /// <summary>What only some lines need: another chunk, a stamp, a manifest.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Note(ref Line line)
    {
        if (!ReferenceEquals(line.Chunk, _chunk))
        {
            // The digest of the bytes that are about to go comes first.
            _digests?.Flush();
            _chunk?.Release();
            _chunk = line.Chunk;
        }

        _digests?.Add(ref line);
        if (line.Intended != 0)
        {
            // Not as a TimeSpan, which counts in steps of 100 ns.
            _latency?.Record((long)((Stopwatch.GetTimestamp() - line.Intended) * s_nanosecondsPerTick));
        }
    }
}
