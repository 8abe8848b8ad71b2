using System.Threading.Channels;

namespace Raceway.Suites.LanesSuite;

/// <summary>A channel for each worker: the producer hashes the key and writes an item at a time.</summary>
/// <param name="name">In the result rows.</param>
/// <param name="shape">The case.</param>
/// <param name="create">Makes a channel of a capacity.</param>
public sealed class ChannelLanes(string name, LanesShape shape, Func<int, Channel<KeyedItem>> create)
    : LanesContestant(name, shape)
{
    private Channel<KeyedItem>[] _channels = [];
    private Task<KeyTally>[] _workers = [];

    /// <inheritdoc/>
    protected override void Start()
    {
        _channels = [.. Enumerable.Range(0, Shape.Workers).Select(_ => create(Shape.Capacity))];
        _workers = [.. _channels.Select(channel => Task.Run(() => RunAsync(channel.Reader, new KeyTally(Table))))];
    }

    /// <inheritdoc/>
    protected override void Produce(int first, int end, CancellationToken cancellation)
    {
        for (int number = first; number < end; number++)
        {
            KeyedItem item = ItemOf(number);
            ChannelWriter<KeyedItem> writer = _channels[Shape.WorkerOf(item.Key)].Writer;
            while (!writer.TryWrite(item))
                if (!writer.WaitToWriteAsync(cancellation).AsTask().GetAwaiter().GetResult()) return;
        }
    }

    /// <inheritdoc/>
    protected override void End(CancellationToken cancellation)
    {
        foreach (Channel<KeyedItem> channel in _channels) channel.Writer.Complete();
        Task.WaitAll(_workers, cancellation);
    }

    /// <inheritdoc/>
    protected override IEnumerable<KeyTally> Stop() => _workers.Select(static worker => worker.Result);

    private static async Task<KeyTally> RunAsync(ChannelReader<KeyedItem> reader, KeyTally tally)
    {
        while (await reader.WaitToReadAsync().ConfigureAwait(false))
            while (reader.TryRead(out KeyedItem item)) tally.Take(item);
        return tally;
    }
}
