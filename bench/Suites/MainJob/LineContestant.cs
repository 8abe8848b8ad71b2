using Raceway.Measuring;

namespace Raceway.Suites.MainJob;

/// <summary>How a contestant of ours is set, so that rows which differ in one thing only can be compared.</summary>
/// <param name="Dispatch"><c>single</c>, <c>each</c> or <c>batch</c>.</param>
/// <param name="Plan">How the stages are driven, such as <c>shared-ring</c> or <c>fused</c>.</param>
/// <param name="Wait">How a stage waits, such as <c>adaptive</c> or <c>park</c>.</param>
/// <param name="Publishing">How the producer groups the lines it publishes.</param>
/// <param name="Hashing">How a batch is hashed: in the lanes of vectors, or line by line with the runtime's SHA-512.</param>
public sealed record LineSetting(
    string Dispatch, string Plan, string Wait, string Publishing = "in groups", string Hashing = LineSetting.ByVectors)
{
    /// <summary>Several lines side by side.</summary>
    public const string ByVectors = "vectors";

    /// <summary>Line by line, by <c>SHA512.HashData</c>.</summary>
    public const string ByHashData = "hash-data";
}

/// <summary>One way of taking the lines through the stages of the main job.</summary>
public abstract class LineContestant
{
    /// <summary>The name in the rows, such as <c>raceway/batch-fused-adaptive</c> or <c>channel</c>.</summary>
    public abstract string Name { get; }

    /// <summary>Threads that work or spin at the same time, the producer included.</summary>
    public abstract int BusyThreads { get; }

    /// <summary>How it is set, for contestants of ours.</summary>
    public virtual LineSetting? Setting => null;

    /// <summary>Takes lines through the stages once.</summary>
    /// <param name="input">The lines; taken again from the beginning when all are through.</param>
    /// <param name="expected">What they must give.</param>
    /// <param name="lines">How many lines.</param>
    /// <param name="ratePerSecond">Lines a second in an open loop, which records latency; without it as fast as possible.</param>
    /// <param name="cancellation">Ends the round early; it then throws.</param>
    /// <exception cref="OperationCanceledException">The round was cancelled.</exception>
    public virtual Sample Run(
        LoadedInput input, ExpectedTotals expected, long lines, double? ratePerSecond, CancellationToken cancellation)
    {
        LatencyHistogram? latency = ratePerSecond is null ? null : new LatencyHistogram();
        var totals = new LineTotals(lines, latency: latency);
        var feed = new LineFeed(input, lines, ratePerSecond, cancellation);

        double meanBatch = Drive(feed, totals);

        // A contestant that lost lines never reached the target; its time is worth nothing, but it must have one.
        UsageReading used = totals.FinishedAt > 0 ? feed.Usage.Stop(totals.FinishedAt) : feed.Usage.Stop();
        cancellation.ThrowIfCancellationRequested();
        totals.Complete();
        return new Sample(lines, used.Seconds, expected.Agree(totals, lines), used.CpuSeconds, used.AllocatedBytes)
        {
            Latency = latency,
            MeanBatch = meanBatch,
        };
    }

    /// <summary>
    /// Starts the stages, calls <see cref="LineFeed.Start"/>, publishes what <see cref="LineFeed.Next"/> gives, and
    /// returns when every line has reached <paramref name="totals"/> and no thread of it runs any more.
    /// </summary>
    /// <returns>Mean lines per call of a handler, over the stages.</returns>
    protected abstract double Drive(LineFeed feed, LineTotals totals);
}
