using Raceway.Measuring;

namespace Raceway.Suites.MainJob;

/// <summary>
/// A thread per core, each with lines of its own and no hand-over at all: what the cores could do if lines had neither to be handed
/// over nor to come out in order. Within each thread it is <see cref="OneThreadBatches{TItem}"/>.
/// </summary>
/// <typeparam name="TItem">The item.</typeparam>
public sealed class ThreadPerCoreBatches<TItem> : LineContestant
    where TItem : struct, ILineItem<TItem>
{
    private static readonly int s_threads = Environment.ProcessorCount;

    /// <inheritdoc/>
    public override string Name => "thread-per-core-batched";

    /// <inheritdoc/>
    public override int BusyThreads => s_threads;

    /// <inheritdoc/>
    public override Sample Run(
        LoadedInput input, ExpectedTotals expected, long lines, double? ratePerSecond, CancellationToken cancellation)
    {
        using var ready = new Barrier(s_threads);
        Share[] shares = [.. Enumerable.Range(0, s_threads).Select(number => new Share(number, input, lines, ratePerSecond, cancellation))];
        Thread[] threads = [.. shares.Skip(1).Select(share => new Thread(() => share.Take(ready)) { IsBackground = true })];
        foreach (Thread thread in threads) thread.Start();
        shares[0].Take(ready);
        foreach (Thread thread in threads) thread.Join();

        long finished = shares.Max(static share => share.Totals.FinishedAt);
        UsageReading used = finished > 0 ? shares[0].Feed.Usage.Stop(finished) : shares[0].Feed.Usage.Stop();
        cancellation.ThrowIfCancellationRequested();
        foreach (Share share in shares) share.Totals.Complete();
        bool verified = Array.TrueForAll(shares, share => expected.Agree(share.Totals, share.Lines, share.From));
        return new Sample(lines, used.Seconds, verified, used.CpuSeconds, used.AllocatedBytes)
        {
            Latency = ratePerSecond is null ? null : LatencyHistogram.Merged(shares.Select(static share => share.Latency!)),
            // A thread may have no line, of very few.
            MeanBatch = shares.Where(static share => share.Lines > 0).Average(static share => share.MeanBatch),
        };
    }

    /// <inheritdoc/>
    protected override double Drive(LineFeed feed, LineTotals totals) =>
        throw new NotSupportedException("Each thread has a feed of its own.");

    // The lines of one thread.
    private sealed class Share
    {
        private readonly int _number;

        public Share(int number, LoadedInput input, long lines, double? ratePerSecond, CancellationToken cancellation)
        {
            _number = number;
            From = lines * number / s_threads;
            Lines = lines * (number + 1) / s_threads - From;
            Latency = ratePerSecond is null ? null : new LatencyHistogram();
            Totals = new LineTotals(Lines, latency: Latency);
            Feed = new LineFeed(input, Lines, ratePerSecond / s_threads, cancellation, From);
        }

        public long From { get; }

        public long Lines { get; }

        public LatencyHistogram? Latency { get; }

        public LineTotals Totals { get; }

        public LineFeed Feed { get; }

        public double MeanBatch { get; private set; }

        public void Take(Barrier ready)
        {
            ready.SignalAndWait();
            MeanBatch = OneThreadBatches<TItem>.Take(Feed, Totals, _number);
        }
    }
}
