using Raceway.Rings;

namespace RacewayWorker;

/// <summary>Stores readings by the batch. The container makes it, and disposes of it when the pipeline has ended.</summary>
internal sealed partial class ReadingStore(ILogger<ReadingStore> logger) : IBatchHandler<SensorReading>, IDisposable
{
    private long _stored;

    public void OnBatch(Batch<SensorReading> batch)
    {
        foreach (ref SensorReading reading in batch)
            if (reading.IsValid) _stored++;
        LogStored(batch.Count, _stored);
    }

    public void Dispose() => LogEnd(_stored);

    [LoggerMessage(1, LogLevel.Information, "A batch of {Count}; {Stored} readings are stored.")]
    private partial void LogStored(int count, long stored);

    [LoggerMessage(2, LogLevel.Information, "{Stored} readings were stored in all.")]
    private partial void LogEnd(long stored);
}
