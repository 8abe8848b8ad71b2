// wrong
sealed class Save(Stream? stream) : IOutcomeHandler<byte>
{
    public BatchOutcome OnBatch(Batch<byte> batch)
    {
        stream?.WriteAsync(batch.ToArray()); // RACE007
        return BatchOutcome.Done;
    }
}

// right
sealed class Save(Stream? stream) : IAsyncBatchHandler<byte>
{
    public ValueTask OnBatchAsync(AsyncBatch<byte> batch, CancellationToken cancellation)
    {
        if (stream is null) return default;
        return stream.WriteAsync(batch.ToArray(), cancellation);
    }
}
