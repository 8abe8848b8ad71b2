using System.Diagnostics;
using Raceway.Measuring;

namespace Raceway.Suites.Batching;

/// <summary>The stage of a contestant: hands jobs to the work, counts calls, and records how long after it was due each job was done.</summary>
/// <param name="work">The work.</param>
/// <param name="latency">Where latencies go; none at full speed.</param>
internal sealed class WorkStage(IBatchWork work, LatencyHistogram? latency)
{
    /// <summary>Jobs done.</summary>
    public long Jobs { get; private set; }

    /// <summary>Calls of the work.</summary>
    public long Calls { get; private set; }

    /// <summary>Does some jobs in one call.</summary>
    public void Do(ReadOnlySpan<Job> jobs)
    {
        work.Do(jobs);
        Calls++;
        Jobs += jobs.Length;
        if (latency is null) return;
        long now = Stopwatch.GetTimestamp();
        foreach (ref readonly Job job in jobs) latency.Record(JobFeed.Nanoseconds(now - job.Due));
    }
}
