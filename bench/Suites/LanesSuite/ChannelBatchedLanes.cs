using System.Buffers;
using System.Threading.Channels;

namespace Raceway.Suites.LanesSuite;

/// <summary>A channel for each worker, of arrays from the pool: the producer fills one a worker, and writes it when it is full.</summary>
/// <param name="name">In the result rows.</param>
/// <param name="shape">The case.</param>
public sealed class ChannelBatchedLanes(string name, LanesShape shape) : LanesContestant(name, shape)
{
    private const int Size = 256;

    private Channel<ArraySegment<KeyedItem>>[] _channels = [];
    private Task<KeyTally>[] _workers = [];
    private KeyedItem[][] _filling = [];
    private int[] _filled = [];

    /// <inheritdoc/>
    protected override void Start()
    {
        int workers = Shape.Workers;
        _channels = [.. Enumerable.Range(0, workers).Select(_ => Channel.CreateBounded<ArraySegment<KeyedItem>>(Shape.Capacity / Size))];
        _workers = [.. _channels.Select(channel => Task.Run(() => RunAsync(channel.Reader, new KeyTally(Table))))];
        _filling = [.. Enumerable.Range(0, workers).Select(_ => ArrayPool<KeyedItem>.Shared.Rent(Size))];
        _filled = new int[workers];
    }

    /// <inheritdoc/>
    protected override void Produce(int first, int end, CancellationToken cancellation)
    {
        for (int number = first; number < end; number++)
        {
            KeyedItem item = ItemOf(number);
            int worker = Shape.WorkerOf(item.Key);
            _filling[worker][_filled[worker]++] = item;
            if (_filled[worker] == Size) Write(worker, cancellation);
        }
    }

    /// <inheritdoc/>
    protected override void End(CancellationToken cancellation)
    {
        for (int worker = 0; worker < _channels.Length; worker++)
        {
            Write(worker, cancellation);
            _channels[worker].Writer.Complete();
        }

        Task.WaitAll(_workers, cancellation);
    }

    /// <inheritdoc/>
    protected override IEnumerable<KeyTally> Stop() => _workers.Select(static worker => worker.Result);

    private void Write(int worker, CancellationToken cancellation)
    {
        var items = new ArraySegment<KeyedItem>(_filling[worker], 0, _filled[worker]);
        ChannelWriter<ArraySegment<KeyedItem>> writer = _channels[worker].Writer;
        while (!writer.TryWrite(items))
            if (!writer.WaitToWriteAsync(cancellation).AsTask().GetAwaiter().GetResult()) return;
        _filling[worker] = ArrayPool<KeyedItem>.Shared.Rent(Size);
        _filled[worker] = 0;
    }

    private static async Task<KeyTally> RunAsync(ChannelReader<ArraySegment<KeyedItem>> reader, KeyTally tally)
    {
        while (await reader.WaitToReadAsync().ConfigureAwait(false))
        {
            while (reader.TryRead(out ArraySegment<KeyedItem> items))
            {
                foreach (KeyedItem item in items) tally.Take(item);
                ArrayPool<KeyedItem>.Shared.Return(items.Array!);
            }
        }

        return tally;
    }
}
