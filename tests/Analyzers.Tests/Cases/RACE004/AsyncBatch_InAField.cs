// wrong
sealed class Last : IAsyncBatchHandler<int>
{
    private AsyncBatch<int> _last;

    public int Count => _last.Count;

    public async ValueTask OnBatchAsync(AsyncBatch<int> batch, CancellationToken cancellation)
    {
        await Task.Yield();
        _last = batch; // RACE004
    }
}

// right
sealed class Last : IAsyncBatchHandler<int>
{
    private int[] _last = [];

    public int Count => _last.Length;

    public async ValueTask OnBatchAsync(AsyncBatch<int> batch, CancellationToken cancellation)
    {
        await Task.Yield();
        _last = batch.ToArray();
    }
}
