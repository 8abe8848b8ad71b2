namespace RacewayWorker;

/// <summary>What travels through the pipeline.</summary>
internal record struct SensorReading(long Number, double Value, bool IsValid = false);
