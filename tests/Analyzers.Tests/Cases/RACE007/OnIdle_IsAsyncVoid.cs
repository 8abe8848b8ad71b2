// wrong
sealed class Save(Stream stream) : IBatchHandler<byte>, IIdleHandler
{
    public void OnBatch(Batch<byte> batch) => stream.Write(batch.First);

    public async void OnIdle() => await stream.FlushAsync(); // RACE007
}

// right
sealed class Save(Stream stream) : IBatchHandler<byte>, IIdleHandler
{
    public void OnBatch(Batch<byte> batch) => stream.Write(batch.First);

    public void OnIdle() => stream.Flush();
}
