// wrong
sealed class Save : IAsyncBatchHandler<int>
{
    public ValueTask OnBatchAsync(AsyncBatch<int> batch, CancellationToken cancellation)
    {
        _ = Task.Run(() => Console.WriteLine(batch.Count), cancellation); // RACE004
        return default;
    }
}

// right
sealed class Save : IAsyncBatchHandler<int>
{
    public async ValueTask OnBatchAsync(AsyncBatch<int> batch, CancellationToken cancellation) =>
        await Task.Run(() => Console.WriteLine(batch.Count), cancellation);
}
