using System.Buffers;

namespace Raceway.Suites.MainJob;

/// <summary>Lends chunks to the reader and bounds how many bytes of input are under way.</summary>
/// <remarks>
/// A ring bounds the lines in flight, not their bytes: 16,384 lines of a megabyte each would be 16 GB. So the reader
/// waits here while the budget is spent. It never waits with fewer than <see cref="AlwaysAllowed"/> chunks out: the last
/// stage keeps the chunk of the last line it saw, and the reader needs one to carry an unfinished line into a larger one.
/// </remarks>
public sealed class ChunkPool : IDisposable
{
    /// <summary>The size of an ordinary chunk; one with a longer line is larger.</summary>
    public const int ChunkSize = 256 * 1024;

    private const int AlwaysAllowed = 3;
    private const int KeptForReuse = 64;
    private static readonly TimeSpan s_recheck = TimeSpan.FromMilliseconds(50);

    private readonly object _gate = new();
    private readonly Stack<Chunk> _free = new();
    private readonly long _budget;
    private readonly int _chunkSize;
    private readonly CancellationToken _stop;
    private readonly bool _lends = true;
    private long _bytesOut;
    private int _chunksOut;
    private bool _aborted;
    private bool _disposed;

    /// <summary>Creates a pool.</summary>
    /// <param name="budget">Bytes that may be out before <see cref="Rent"/> waits.</param>
    /// <param name="chunkSize">Bytes of an ordinary chunk; small values make tests of odd cases small.</param>
    /// <param name="stop">Ends a wait in <see cref="Rent"/> when no stage will give chunks back any more.</param>
    public ChunkPool(long budget = 64 << 20, int chunkSize = ChunkSize, CancellationToken stop = default)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(chunkSize, 1);
        _budget = budget;
        _chunkSize = chunkSize;
        _stop = stop;
    }

    private ChunkPool(bool lends)
        : this() => _lends = lends;

    /// <summary>A source of chunks for input that stays in memory: they belong to their lines and never come back.</summary>
    public static ChunkPool ForGood() => new(lends: false);

    /// <summary>Chunks lent and not yet returned.</summary>
    public int ChunksOut
    {
        get
        {
            lock (_gate)
            {
                return _chunksOut;
            }
        }
    }

    /// <summary>Lends a chunk of at least <paramref name="size"/> bytes, waiting while the budget is spent.</summary>
    /// <exception cref="OperationCanceledException">The stop token or <see cref="Abort"/> ended the wait.</exception>
    internal Chunk Rent(int size)
    {
        int wanted = Math.Max(size, _chunkSize);
        if (!_lends)
        {
            return new Chunk(GC.AllocateUninitializedArray<byte>(wanted), owner: null);
        }

        lock (_gate)
        {
            while (_bytesOut + wanted > _budget && _chunksOut >= AlwaysAllowed)
            {
                ThrowIfStopped();
                Monitor.Wait(_gate, s_recheck); // returns wake it; the time-out only looks at the stop token
            }

            Chunk chunk = wanted == _chunkSize && _free.TryPop(out Chunk? kept)
                ? kept
                : new Chunk(ArrayPool<byte>.Shared.Rent(wanted), this);
            _bytesOut += chunk.Buffer.Length;
            _chunksOut++;
            return chunk;
        }
    }

    /// <summary>Throws where the input is not to be read any further.</summary>
    internal void ThrowIfStopped()
    {
        _stop.ThrowIfCancellationRequested();
        if (Volatile.Read(ref _aborted))
        {
            throw new OperationCanceledException("The pipeline that reads this input was stopped.");
        }
    }

    /// <summary>Ends a wait for chunks that will not come back, because a stage has failed.</summary>
    internal void Abort()
    {
        lock (_gate)
        {
            _aborted = true;
            Monitor.PulseAll(_gate);
        }
    }

    internal void Return(Chunk chunk)
    {
        lock (_gate)
        {
            _bytesOut -= chunk.Buffer.Length;
            _chunksOut--;
            Monitor.Pulse(_gate);
            bool ordinary = chunk.Buffer.Length < 2 * _chunkSize;
            if (ordinary && !_disposed && _free.Count < KeptForReuse)
            {
                _free.Push(chunk);
                return;
            }
        }

        ArrayPool<byte>.Shared.Return(chunk.Buffer);
    }

    /// <summary>Gives the kept buffers back; chunks still out go straight back when they are returned.</summary>
    public void Dispose()
    {
        lock (_gate)
        {
            _disposed = true;
            while (_free.TryPop(out Chunk? chunk))
            {
                ArrayPool<byte>.Shared.Return(chunk.Buffer);
            }
        }
    }
}
