// wrong
struct Save(Stream stream) : IBatchHandler<byte>, IDisposable
{
    public void OnBatch(Batch<byte> batch) => stream.Write(batch.First);

    public void OnIdle() => stream.Flush(); // RACE017

    public void Dispose() => stream.Dispose();
}

// fixed
struct Save(Stream stream) : IBatchHandler<byte>, IDisposable, IIdleHandler
{
    public void OnBatch(Batch<byte> batch) => stream.Write(batch.First);

    public void OnIdle() => stream.Flush();

    public void Dispose() => stream.Dispose();
}
