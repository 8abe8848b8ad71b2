// wrong
sealed class Save(Stream stream) : IAsyncBatchHandler<byte>
{
    public void OnStart() => stream.SetLength(0); // RACE017

    public async ValueTask OnBatchAsync(AsyncBatch<byte> batch, CancellationToken cancellation) => await stream.FlushAsync(cancellation);

    public void OnShutdown() => stream.Dispose(); // RACE017
}

// right
sealed class Save(Stream stream) : IAsyncBatchHandler<byte>, IStageLifetime
{
    public void OnStart() => stream.SetLength(0);

    public async ValueTask OnBatchAsync(AsyncBatch<byte> batch, CancellationToken cancellation) => await stream.FlushAsync(cancellation);

    public void OnStop() => OnShutdown();

    public void OnShutdown() => stream.Dispose();
}
