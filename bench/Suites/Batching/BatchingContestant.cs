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
    private static readonly TimeSpan s_saturation = TimeSpan.FromMilliseconds(60);

    private IBatchWork? _work;
    private double? _rate = arrival == Arrival.FixedRate ? one.Rate : null;
    private int _paced, _late; // rounds at a rate, and those of them that were cut

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
        arrival == Arrival.AtOnce || _rate is not { } rate ? null
        : (arrival == Arrival.HalfSpeed ? string.Create(CultureInfo.InvariantCulture, $"at {rate:N0} jobs/s") : null) is var at && 2 * _late > _paced
            ? at is null ? "does not keep up" : $"{at}, does not keep up"
            : at;

    /// <inheritdoc/>
    public Sample Run(long operations, CancellationToken cancellation)
    {
        _work ??= one.Create(name);
        if (arrival == Arrival.HalfSpeed && _rate is null) _rate = FindRate(cancellation);
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

    // Half of what it does at full speed, with its own latencies recorded: runs grow until one is long enough to tell.
    private double FindRate(CancellationToken cancellation)
    {
        long jobs = 16;
        var rates = new List<double>();
        while (rates.Count < 3)
        {
            cancellation.ThrowIfCancellationRequested();
            Sample sample = RunAt(null, jobs, cancellation);
            if (sample.Seconds >= s_saturation.TotalSeconds) rates.Add(sample.Rate);
            else jobs = Math.Max(jobs * 2, (long)(jobs * Math.Min(10, 1.3 * s_saturation.TotalSeconds / Math.Max(sample.Seconds, 1e-6))));
        }

        return Statistics.Median(rates) / 2;
    }

    private Sample RunAt(double? rate, long jobs, CancellationToken cancellation)
    {
        _work!.Begin();
        var feed = new JobFeed(jobs, rate, cancellation);
        LatencyHistogram? latency = rate is null ? null : new LatencyHistogram();
        var stage = new WorkStage(_work, latency);
        Drive(feed, stage);
        _work.Complete();
        UsageReading used = feed.Usage.Stop();
        cancellation.ThrowIfCancellationRequested();
        bool wasCut = feed.Given < jobs || stage.Jobs < feed.Given;
        if (feed.IsPaced) _paced++;
        if (feed.IsPaced && wasCut) _late++;
        bool verified = (stage.Jobs == feed.Given || feed.IsPaced) && _work.Verify(stage.Jobs);
        return new Sample(stage.Jobs, used.Seconds, verified, used.CpuSeconds, used.AllocatedBytes)
        {
            Latency = latency,
            MeanBatch = (double)stage.Jobs / Math.Max(1, stage.Calls),
            Counts = _work.Counts,
        };
    }
}
