// wrong
sealed class Lend : IAsyncBatchHandler<int>
{
    private AsyncBatch<int> _lent;

    public int Count => _lent.Count;

    public ValueTask OnBatchAsync(AsyncBatch<int> batch, CancellationToken cancellation)
    {
        _lent = batch; // RACE004
        return ValueTask.CompletedTask;
    }
}

// right
sealed class Lend : IAsyncBatchHandler<int>
{
    private TaskCompletionSource _given = new();
    private AsyncBatch<int> _lent;

    public int Take()
    {
        int count = _lent.Count;
        _given.SetResult();
        return count;
    }

    // The batch belongs to the handler until this task ends.
    public ValueTask OnBatchAsync(AsyncBatch<int> batch, CancellationToken cancellation)
    {
        _given = new TaskCompletionSource();
        _lent = batch;
        return new ValueTask(_given.Task);
    }
}
