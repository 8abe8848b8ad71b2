using System.Diagnostics;
using System.Globalization;
using Raceway.Measuring;

namespace Raceway.Suites.Batching;

/// <summary>A contestant of the batching suite: it says how jobs reach the work; what is timed, recorded and verified is the same for all.</summary>
/// <param name="name">The name in the rows.</param>
/// <param name="one">The case.</param>
/// <param name="arrival">How jobs come.</param>
internal abstract class BatchingContestant(string name, BatchingCase one, Arrival arrival) : IContestant, IDisposable
{
    private const double LongestRound = 1;
    private const long FirstJobs = 16; // of the runs that find a rate

    private IBatchWork? _work;
    private double? _rate = arrival == Arrival.FixedRate ? one.Rate : null;

    /// <inheritdoc/>
    public string Name => name;

    /// <inheritdoc/>
    public virtual int BusyThreads => 2 + one.Servants;

    /// <inheritdoc/>
    public IReadOnlyDictionary<string, string>? Knobs { get; init; }

    /// <inheritdoc/>
    public long MaxOperations => _rate is { } rate ? Math.Max(1, (long)(rate * LongestRound)) : long.MaxValue;

    /// <inheritdoc/>
    public string? Note =>
        arrival == Arrival.HalfSpeed && _rate is { } rate ? string.Create(CultureInfo.InvariantCulture, $"at {rate:N0} jobs/s") : null;

    /// <inheritdoc/>
    public Action<TimeSpan, CancellationToken>? Preparation => arrival == Arrival.HalfSpeed ? FindRate : null;

    /// <inheritdoc/>
    public Sample Run(long operations, CancellationToken cancellation)
    {
        _work ??= one.Create(name);
        if (arrival == Arrival.HalfSpeed && _rate is null) FindRate(HalfSpeed.Usual, cancellation);
        // A contestant that does not keep up would be given ever fewer jobs, until they are a short burst that it soon has done.
        long least = _rate is { } rate ? (long)(rate * one.LeastRound.TotalSeconds) : 0;
        return RunAt(_rate, Math.Min(Math.Max(operations, least), MaxOperations), cancellation);
    }

    /// <inheritdoc/>
    public void Dispose() => _work?.Dispose();

    /// <summary>
    /// Builds what the jobs travel through, calls <see cref="JobFeed.Start"/>, takes all jobs of the feed to the stage, and returns
    /// when the stage has done them and no thread of it runs any more.
    /// </summary>
    protected abstract void Drive(JobFeed feed, WorkStage stage);

    /// <summary>A round with jobs at a rate; without one all are due at the start.</summary>
    internal Sample RunAt(double? rate, long jobs, CancellationToken cancellation)
    {
        _work!.Begin();
        var feed = new JobFeed(jobs, rate, cancellation);
        // Also where the rate is found: it must not be more than the readings of the clock allow.
        LatencyHistogram? latency = arrival == Arrival.AtOnce ? null : new LatencyHistogram();
        var stage = new WorkStage(_work, latency);
        Drive(feed, stage);
        long end = Stopwatch.GetTimestamp();
        // What is missing from a round that was not cut is lost.
        bool wasCut = feed.IsPaced && feed.IsCut && stage.Jobs < jobs;
        _work.Complete();
        UsageReading used = feed.Usage.Stop();
        if (wasCut) feed.RecordUndone(latency!, stage.Jobs, end);
        cancellation.ThrowIfCancellationRequested();
        bool verified = (stage.Jobs == jobs || wasCut) && _work.Verify(stage.Jobs);
        return new Sample(stage.Jobs, used.Seconds, verified, used.CpuSeconds, used.AllocatedBytes)
        {
            Latency = latency,
            FellBehind = wasCut,
            MeanBatch = (double)stage.Jobs / Math.Max(1, stage.Calls),
            Counts = _work.Counts,
        };
    }

    private void FindRate(TimeSpan within, CancellationToken cancellation)
    {
        _work ??= one.Create(name);
        var budget = new TimeBudget(TimeProvider.System, within < HalfSpeed.Usual ? within : HalfSpeed.Usual);
        _rate = HalfSpeed.RateOf(new AllAtOnce(this), FirstJobs, budget, cancellation);
    }

    /// <summary>The same contestant with all jobs due at the start.</summary>
    private sealed class AllAtOnce(BatchingContestant one) : IContestant
    {
        public string Name => one.Name;

        public int BusyThreads => one.BusyThreads;

        public Sample Run(long operations, CancellationToken cancellation) => one.RunAt(null, operations, cancellation);
    }
}
