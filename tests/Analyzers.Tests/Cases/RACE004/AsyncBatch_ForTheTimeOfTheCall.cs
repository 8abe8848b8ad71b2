// wrong
sealed class Save : IAsyncBatchHandler<int>
{
    private AsyncBatch<int> _current;

    public async ValueTask OnBatchAsync(AsyncBatch<int> batch, CancellationToken cancellation)
    {
        await WriteAsync();
        _current = batch; // RACE004
    }

    private Task WriteAsync() => Console.Out.WriteLineAsync($"{_current.Count}");
}

// right
sealed class Save : IAsyncBatchHandler<int>
{
    private AsyncBatch<int> _current;

    public async ValueTask OnBatchAsync(AsyncBatch<int> batch, CancellationToken cancellation)
    {
        _current = batch;
        await WriteAsync();
    }

    private Task WriteAsync() => Console.Out.WriteLineAsync($"{_current.Count}");
}
