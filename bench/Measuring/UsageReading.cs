namespace Raceway.Measuring;

/// <summary>What <see cref="Usage"/> measured.</summary>
/// <param name="Seconds">Wall time.</param>
/// <param name="CpuSeconds">Processor time of the whole process, user and system.</param>
/// <param name="AllocatedBytes">Bytes allocated by all threads.</param>
public readonly record struct UsageReading(double Seconds, double CpuSeconds, long AllocatedBytes);
