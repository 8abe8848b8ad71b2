using System.Diagnostics;
using Raceway.Measuring;

namespace Raceway.Suites.Batching;

/// <summary>The jobs of one round: all due at the start, or each at its time, whether or not the contestant has kept up.</summary>
/// <remarks>
/// With a rate it is an open loop: job <c>i</c> is due at <c>i / rate</c>, and latency counts from there, so a stall is charged to each
/// job that it delays. A contestant that does not keep up would take many times the round's length: after twice its length
/// the round is cut, and has the jobs that were done until then. All of its jobs were due by that time.
/// </remarks>
internal sealed class JobFeed
{
    private static readonly double s_nanoseconds = 1e9 / Stopwatch.Frequency;

    // A round of a few jobs is not cut for what its threads take to start.
    private static readonly TimeSpan s_leastLength = TimeSpan.FromMilliseconds(200);

    private readonly long _total;
    private readonly double _ticksPerJob;
    private readonly double _longest; // ticks
    private long _started;
    private long _known; // jobs that were due when the clock was read last

    /// <summary>Creates the feed of a round.</summary>
    /// <param name="jobs">The most that it has.</param>
    /// <param name="rate">Jobs a second; none where all are due at the start.</param>
    /// <param name="cancellation">Ends it early.</param>
    public JobFeed(long jobs, double? rate, CancellationToken cancellation)
    {
        _total = jobs;
        Cancellation = cancellation;
        _ticksPerJob = rate is { } given ? Stopwatch.Frequency / given : 0;
        _longest = Math.Max(2 * jobs * _ticksPerJob, s_leastLength.TotalSeconds * Stopwatch.Frequency);
        _known = IsPaced ? 0 : jobs;
    }

    /// <summary>Whether jobs come at a rate.</summary>
    public bool IsPaced => _ticksPerJob > 0;

    /// <summary>Jobs given out.</summary>
    public long Given { get; private set; }

    /// <summary>Whether the round has ended early: it was cancelled, or its contestant does not keep up. What waits is left undone.</summary>
    public bool IsCut => Cancellation.IsCancellationRequested || (IsPaced && IsLate(Stopwatch.GetTimestamp() - _started));

    /// <summary>What the process had used at the start.</summary>
    public Usage Usage { get; private set; }

    /// <summary>Starts the clock: on the thread that publishes, when everything stands ready for the first job.</summary>
    public void Start()
    {
        Usage = Usage.Start();
        _started = Stopwatch.GetTimestamp();
    }

    /// <summary>The next job, waiting until it is due; false at the end of the round.</summary>
    public bool Next(out Job job)
    {
        while (!TryNext(out job))
        {
            if (IsOver) return false;
            // An open loop is a clock, so it is polled like one: a sleeping publisher would be late itself.
            Thread.SpinWait(1);
        }

        return true;
    }

    /// <summary>The next job, where one is due.</summary>
    public bool TryNext(out Job job)
    {
        job = default;
        if (Cancellation.IsCancellationRequested || (Given == _known && !LetTimePass())) return false;
        job = new Job(Given, DueOf(Given));
        Given++;
        return true;
    }

    /// <summary>When a job is due, in timer ticks; 0 where everything is due at the start.</summary>
    public long DueOf(long index) => IsPaced ? _started + (long)(index * _ticksPerJob) : 0;

    /// <summary>Timer ticks as nanoseconds.</summary>
    public static long Nanoseconds(long ticks) => (long)(ticks * s_nanoseconds);

    /// <summary>Each job that was due and is not done has the latency that it has reached at the end of a round that was cut.</summary>
    /// <param name="latency">Where latencies go.</param>
    /// <param name="done">Jobs done, in the order in which they are due.</param>
    /// <param name="end">When the round ended, in timer ticks.</param>
    public void RecordUndone(LatencyHistogram latency, long done, long end)
    {
        for (long undone = done; undone < _total; undone++) latency.Record(Nanoseconds(end - DueOf(undone)));
    }

    /// <summary>How long it may last until it is cut; infinite at full speed.</summary>
    public TimeSpan Left => IsPaced
        ? TimeSpan.FromSeconds(Math.Max(0, _longest - (Stopwatch.GetTimestamp() - _started)) / Stopwatch.Frequency)
        : Timeout.InfiniteTimeSpan;

    /// <summary>Ends it early.</summary>
    public CancellationToken Cancellation { get; }

    private bool IsOver => Given == _total || IsCut;

    private bool IsLate(long elapsed) => elapsed > _longest;

    private bool LetTimePass()
    {
        if (Given == _total) return false;
        long elapsed = Stopwatch.GetTimestamp() - _started;
        if (IsLate(elapsed)) return false;
        // A part of what is due at a time, so that a contestant that is late sees the clock again soon.
        _known = Math.Min(Math.Min(_total, Given + 1_024), 1 + (long)(elapsed / _ticksPerJob));
        return Given < _known;
    }
}
