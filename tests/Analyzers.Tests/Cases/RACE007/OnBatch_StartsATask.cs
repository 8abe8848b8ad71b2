// wrong
sealed class Save(Stream stream) : IBatchHandler<byte>
{
    public void OnBatch(Batch<byte> batch)
    {
        stream.WriteAsync(batch.ToArray()); // RACE007
    }
}

// right
sealed class Save(Stream stream) : IBatchHandler<byte>
{
    public void OnBatch(Batch<byte> batch)
    {
        stream.Write(batch.First);
        stream.Write(batch.Second);
    }
}
