using Raceway.Measuring;

namespace Raceway.Suites.RingSuite;

/// <summary>
/// A contestant of the ring suite. It says what its threads do; timing and verdict are the same for everyone.
/// </summary>
public abstract class RingContestant : IContestant
{
    private const int CheckedPart = 4;

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

    /// <summary>
    /// Whether timed rounds only add the items up. Each is then followed by one that is not timed and checks every item: the
    /// same code does another work there. What either of them finds wrong counts.
    /// </summary>
    protected virtual bool ChecksApart => false;

    /// <inheritdoc/>
    public Sample Run(long operations, CancellationToken cancellation)
    {
        _rounds++;
        Sample timed = Run(operations, checksOrder: !ChecksApart, cancellation);
        timed = timed with { Counts = Further(timed) };

        // Behind the timed part: what a round leaves behind must not be collected while the clock runs.
        return ChecksApart && timed.Verified
            ? timed with { Verified = Run(CheckedOf(operations), checksOrder: true, cancellation).Verified }
            : timed;
    }

    /// <summary>What the rows show of a timed round beside the usual figures.</summary>
    protected virtual IReadOnlyList<Count> Further(Sample timed) => [];

    /// <summary>
    /// Builds the queues (not timed) and adds the roles to the roundThreads. Every stage that checks takes in all items and
    /// hands in what it found, as a sum or a <see cref="Check"/>, whatever <see cref="RingLoad.ChecksOrder"/> asks for.
    /// </summary>
    protected abstract void Prepare(RingLoad load, RoundThreads roundThreads);

    /// <summary>Cleans up after the timed part; every role has ended, also where the round failed.</summary>
    protected virtual void Finish(RingLoad load)
    {
    }

    // A part of the items, but two laps of the ring.
    private long CheckedOf(long operations) => Math.Min(operations, Math.Max(operations / CheckedPart, 2L * Shape.Capacity));

    private Sample Run(long operations, bool checksOrder, CancellationToken cancellation)
    {
        var load = new RingLoad(Shape, operations, CorruptItem, _rounds) { ChecksOrder = checksOrder };
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
}
