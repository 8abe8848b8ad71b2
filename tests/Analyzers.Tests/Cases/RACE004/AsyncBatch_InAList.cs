// wrong
sealed class Gather : IAsyncBatchHandler<int>
{
    private readonly List<AsyncBatch<int>> _batches = [];

    public ValueTask OnBatchAsync(AsyncBatch<int> batch, CancellationToken cancellation)
    {
        _batches.Add(batch.Slice(0, 1)); // RACE004
        return default;
    }
}

// right
sealed class Gather : IAsyncBatchHandler<int>
{
    private readonly List<int[]> _batches = [];

    public ValueTask OnBatchAsync(AsyncBatch<int> batch, CancellationToken cancellation)
    {
        _batches.Add(batch.Slice(0, 1).ToArray());
        return default;
    }
}
