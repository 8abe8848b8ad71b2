using System.Diagnostics;
using Raceway.Measuring;
using Raceway.Suites.Batching;
using Raceway.Suites.JournalSuite.Logs;

namespace Raceway.Suites.JournalSuite;

/// <summary>How items come.</summary>
/// <param name="Rate">Items a second; null: as fast as they are taken.</param>
/// <param name="IsOneByOne">Each when the one before is durable, and after a pause.</param>
internal readonly record struct Pace(double? Rate = null, bool IsOneByOne = false);

/// <summary>A log in a case of the suite: what is timed, counted and read back is the same for all.</summary>
/// <param name="name">The name in the rows.</param>
/// <param name="length">Bytes of an item.</param>
/// <param name="pace">How items come.</param>
/// <param name="open">Opens the log in an empty folder.</param>
internal sealed class JournalContestant(string name, int length, Pace pace, Func<string, DurableLog> open) : IContestant, IDisposable
{
    /// <summary>Bytes that calls have written for a byte of an item, with those of other threads, such as for the next segment.</summary>
    public const string Written = "written-per-byte";

    /// <summary>Bytes that the device has written for a byte of an item, for all processes.</summary>
    public const string WrittenByDevice = "device-per-byte";

    /// <summary>Processor time of all threads for an item, the publisher's included.</summary>
    public const string CpuOfItem = "cpu-per-item";

    private const long MostBytes = 192 << 20;
    private const double LongestRound = 1;
    private const double LeastRound = 0.1;

    private string? _folder;
    private DurableLog? _log;
    private long _rounds;

    /// <inheritdoc/>
    public string Name => name;

    /// <inheritdoc/>
    public int BusyThreads => 2;

    /// <inheritdoc/>
    public long MaxOperations => pace.Rate is { } rate ? (long)(rate * LongestRound) : MostBytes / length;

    /// <inheritdoc/>
    public Sample Run(long operations, CancellationToken cancellation)
    {
        DurableLog log = Open();
        var round = new JournalRound(++_rounds);
        long groups = log.Groups;
        DiskBytes before = DiskBytes.Read(_folder!);
        Sample sample = pace.IsOneByOne ? OneByOne(log, round, operations) : Stream(log, round, operations, cancellation);
        groups = log.Groups - groups;
        log.Settle();
        DiskBytes after = DiskBytes.Read(_folder!);
        double bytes = (double)sample.Operations * length;
        cancellation.ThrowIfCancellationRequested();
        return sample with
        {
            Verified = IsStored(log, round, sample.Operations),
            MeanBatch = (double)sample.Operations / Math.Max(1, groups),
            Counts =
            [
                new Count(CpuOfItem, "ns", sample.CpuSeconds * 1e9 / sample.Operations),
                .. after.Calls - before.Calls is { } calls ? [new Count(Written, "ratio", calls / bytes)] : Array.Empty<Count>(),
                .. after.Device - before.Device is { } device ? [new Count(WrittenByDevice, "ratio", device / bytes)] : Array.Empty<Count>(),
            ],
        };
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _log?.Dispose();
        if (_folder is not null) Directory.Delete(_folder, recursive: true);
    }

    private DurableLog Open()
    {
        if (_log is not null) return _log;
        _folder = Directory.CreateTempSubdirectory("raceway-journal-").FullName;
        _log = open(_folder);
        _log.Settle();
        return _log;
    }

    private Sample Stream(DurableLog log, JournalRound round, long operations, CancellationToken cancellation)
    {
        // A contestant that does not keep up would be given ever fewer items, until they are a short burst that it soon has done.
        if (pace.Rate is { } rate) operations = Math.Min(Math.Max(operations, (long)(rate * LeastRound)), MaxOperations);
        var feed = new JobFeed(operations, pace.Rate, cancellation);
        LatencyHistogram? latency = pace.Rate is null ? null : new LatencyHistogram();
        var acknowledged = new Acknowledgements(round, feed, latency);
        log.Begin(acknowledged);
        feed.Start();
        while (feed.Next(out Job job)) log.Give(job);
        acknowledged.Wait(feed.Given);
        UsageReading used = feed.Usage.Stop();
        bool wasCut = feed.IsPaced && feed.Given < operations;
        if (wasCut) feed.RecordUndone(latency!, feed.Given, Stopwatch.GetTimestamp());
        return new Sample(feed.Given, used.Seconds, Verified: false, used.CpuSeconds, used.AllocatedBytes)
        {
            Latency = latency, FellBehind = wasCut,
        };
    }

    private static Sample OneByOne(DurableLog log, JournalRound round, long operations)
    {
        var latency = new LatencyHistogram();
        log.Begin(new Acknowledgements(round, feed: null, latency: null));
        Usage usage = Usage.Start();
        log.OneByOneAsync(operations, latency).GetAwaiter().GetResult();
        UsageReading used = usage.Stop();
        return new Sample(operations, used.Seconds, Verified: false, used.CpuSeconds, used.AllocatedBytes) { Latency = latency };
    }

    // One more is asked for than there should be.
    private bool IsStored(DurableLog log, JournalRound round, long count)
    {
        long next = 0;
        bool isRight = true;
        log.ReadBack(count + 1, item => isRight &= Logged.Is(item, length, next++, round.Number));
        return isRight && next == count;
    }
}
