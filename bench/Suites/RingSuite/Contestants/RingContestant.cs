using Raceway.Measuring;

namespace Raceway.Suites.RingSuite;

/// <summary>
/// A contestant of the ring suite. It says what its threads do; timing and verdict are the same for everyone.
/// </summary>
public abstract class RingContestant : IContestant
{
    private int _rounds;

    /// <summary>Creates a contestant for one case.</summary>
    protected RingContestant(string name, RingShape shape)
    {
        Name = name;
        Shape = shape;
    }

    /// <inheritdoc/>
    public string Name { get; }

    /// <summary>The shape of the case.</summary>
    public RingShape Shape { get; }

    /// <inheritdoc/>
    public virtual int BusyThreads => Shape.BusyThreads;

    /// <inheritdoc/>
    public virtual string? Note { get; init; }

    /// <inheritdoc/>
    public virtual long MaxOperations => long.MaxValue;

    /// <inheritdoc/>
    public virtual IReadOnlyDictionary<string, string>? Knobs { get; init; }

    /// <summary>
    /// The index of an item of the first producer to publish wrongly: the round must then not be verified.
    /// </summary>
    public long? CorruptItem { get; set; }

    /// <inheritdoc/>
    public Sample Run(long operations, CancellationToken cancellation)
    {
        var load = new RingLoad(Shape, operations, CorruptItem, ++_rounds);
        UsageReading used;
        try
        {
            using var roundThreads = new RoundThreads(cancellation);
            Prepare(load, roundThreads);
            used = roundThreads.Run();
        }
        finally
        {
            Finish(load);
        }

        return new Sample(operations, used.Seconds, load.Verified, used.CpuSeconds, used.AllocatedBytes)
        {
            Latency = load.Latency,
            MeanBatch = load.MeanBatch,
        };
    }

    /// <summary>
    /// Builds the queues (not timed) and adds the roles to the roundThreads. Every stage that checks takes all items into a
    /// <see cref="Check"/> of its own and hands it in with <see cref="RingLoad.Report(Check, int)"/>.
    /// </summary>
    protected abstract void Prepare(RingLoad load, RoundThreads roundThreads);

    /// <summary>Cleans up after the timed part; every role has ended, also where the round failed.</summary>
    protected virtual void Finish(RingLoad load)
    {
    }
}
