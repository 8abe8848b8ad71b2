namespace Raceway.Rings;

/// <summary>How many producers a ring is built for.</summary>
public enum ProducerKind
{
    /// <summary>One handle, used by one thread at a time. No atomic operation a message.</summary>
    Single,

    /// <summary>Several handles, one a thread, and one order over all. One fetch-add a claim.</summary>
    Multi,

    /// <summary>
    /// Several handles, one a thread, each with a lane of its own. No atomic operation a message; the order is each
    /// producer's own. For producers that need none between them.
    /// </summary>
    Sharded,
}

/// <summary>Where a ring keeps its stamps, which say what is published where the cursor does not.</summary>
public enum StampLayout
{
    /// <summary>
    /// Of a multi-producer ring side by side, sixteen a line: scanned many at a time. Others have none. The default, made for
    /// throughput.
    /// </summary>
    Separate,

    /// <summary>The same, but one a line: to study what sharing a line costs.</summary>
    Padded,

    /// <summary>
    /// Behind the item, in its slot, also of a single producer: one line travels instead of two. Made for latency, with
    /// <see cref="RingOptions.SlotStride"/> a multiple of 64. Not of a sharded ring.
    /// </summary>
    InSlot,
}

/// <summary>What a ring is built from, apart from its slots. Everything has a default.</summary>
/// <example>
/// <code>
/// await using var ring = new RingBuffer&lt;Order>(1024, new()
/// {
///     Producers = ProducerKind.Multi,
///     Wait = Wait.Adaptive(),
///     DrainTimeout = TimeSpan.FromSeconds(10),
/// });
/// </code>
/// </example>
public record RingOptions
{
    /// <summary>The largest capacity.</summary>
    public const int MaxCapacity = 1 << 30;

    /// <summary>The largest capacity of a sharded ring. Its order takes 48 bytes per slot.</summary>
    public const int MaxShardedCapacity = 1 << 24;

    /// <summary>How many producers there are. Default: <see cref="ProducerKind.Single"/>.</summary>
    public ProducerKind Producers { get; init; }

    /// <summary>The most producers at a time of a multi-producer or sharded ring. Default 16.</summary>
    /// <remarks>
    /// Of a multi-producer ring each may hold room for a few claims it has not made yet (<see cref="MultiProducer{T}"/>), at
    /// most half the ring together. In a sharded ring the capacity is divided: each lane has the largest power of two that
    /// fits.
    /// </remarks>
    public int MaxProducers { get; init; } = 16;

    /// <summary>How stages wait that do not say otherwise. Default: <see cref="Rings.Wait.Park"/>.</summary>
    public Wait Wait { get; init; } = Wait.Default;

    /// <summary>How producers wait for room. Default: <see cref="Rings.Wait.Park"/>.</summary>
    public Wait ProducerWait { get; init; } = Wait.Default;

    /// <summary>How far apart hot cells lie. Default: <see cref="CellPadding.LinePair"/>.</summary>
    public CellPadding Padding { get; init; } = CellPadding.LinePair;

    /// <summary>
    /// Bytes from one slot to the next: the size of an item times a power of two; 0, the default, is side by side. Apart from
    /// each other slots share no line, but batches have no spans then (<see cref="Batch{T}.First"/>). Items without references
    /// only.
    /// </summary>
    public int SlotStride { get; init; }

    /// <summary>Where the ring keeps its stamps. Default: <see cref="StampLayout.Separate"/>.</summary>
    public StampLayout Stamps { get; init; }

    /// <summary>How long disposal drains before it halts. Default: 5 s.</summary>
    public TimeSpan DrainTimeout { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// After how long a claimed, never published sequence faults a multi-producer ring. Default: never; stages then wait
    /// for it (asleep, where their wait says so).
    /// </summary>
    public TimeSpan ClaimTimeout { get; init; } = Timeout.InfiniteTimeSpan;

    /// <summary>
    /// The clock of every limit of time: ages of batches, retries, timed claims, idle hooks, handler and claim time-outs,
    /// drains and disposal. Default: <see cref="TimeProvider.System"/>.
    /// </summary>
    /// <remarks>
    /// <para>With another provider these limits pass only as its clock moves. A thread that sleeps until a limit is woken by a
    /// timer of the provider. Disposal that waits for a drain then ends when the provider's clock says so.</para>
    /// <para>Spinning, slices of the thread pool, turns between producers and the times in statistics go by the machine's
    /// clock always.</para>
    /// <para><b>Cost</b>: none with the system's provider. Another one is read through virtual calls, and each sleep with a
    /// limit sets one of its timers.</para>
    /// </remarks>
    public TimeProvider Time { get; init; } = TimeProvider.System;

    /// <summary>Checks on every call that a producer is used by one thread. Default: on in a debug build of the application.</summary>
    /// <remarks>
    /// <para>A call by a second thread throws <see cref="InvalidOperationException"/>, until the owner has called
    /// <see cref="Producer{T}.ReleaseThread"/>. An async call owns the producer while it lasts, and leaves it free. Without the
    /// check, threads that share a producer lose items.</para>
    /// <para><b>Default</b>: the <see cref="AppContext"/> switch <c>Raceway.CheckProducer</c>. The package sets it to true in
    /// the runtime configuration of an application that is built with <c>Configuration=Debug</c>; the MSBuild property
    /// <c>RacewayCheckProducer</c> (true or false) says otherwise. The environment variable <c>RACEWAY_CHECK_PRODUCER</c> (1
    /// or 0) overrides both.</para>
    /// <para><b>Cost</b>: the caller's id is read, and the claim announced, in each call. The id of a thread that has ended
    /// may be given to a new one, which is then not noticed.</para>
    /// </remarks>
    public bool CheckProducer { get; init; } = s_checkProducer;

    /// <summary>The first sequence, for tests of the edges.</summary>
    internal long StartSequence { get; init; }

    // Once: options are made often.
    private static readonly bool s_checkProducer = Environment.GetEnvironmentVariable("RACEWAY_CHECK_PRODUCER") switch
    {
        "1" => true,
        "0" => false,
        _ => AppContext.TryGetSwitch("Raceway.CheckProducer", out bool checks) && checks,
    };

    /// <summary>Refuses what no ring of <paramref name="capacity"/> slots can be built from, as the ring's constructor does.</summary>
    /// <param name="capacity">Slots.</param>
    /// <exception cref="ArgumentException">A value is out of range; the message has the rule and the remedy.</exception>
    public void Validate(int capacity)
    {
        if (capacity is < 2 or > MaxCapacity || (capacity & (capacity - 1)) != 0) throw OptionErrors.Capacity(capacity);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxProducers, 1);
        ArgumentNullException.ThrowIfNull(Wait);
        ArgumentNullException.ThrowIfNull(ProducerWait);
        ArgumentNullException.ThrowIfNull(Time);
        CheckTimeout(DrainTimeout, nameof(DrainTimeout));
        CheckTimeout(ClaimTimeout, nameof(ClaimTimeout));
        if (!Enum.IsDefined(Producers)) throw OptionErrors.Producers(Producers);
        if (!Enum.IsDefined(Padding)) throw OptionErrors.Padding(Padding);
        if (!Enum.IsDefined(Stamps)) throw OptionErrors.Stamps(Stamps);
        if (StartSequence < 0 || StartSequence > long.MaxValue - 2L * capacity) throw OptionErrors.StartSequence(StartSequence);
    }

    /// <summary>Whether slots hold stamps.</summary>
    internal bool InSlot => Stamps == StampLayout.InSlot;

    private static void CheckTimeout(TimeSpan timeout, string name)
    {
        if (timeout < TimeSpan.Zero && timeout != Timeout.InfiniteTimeSpan)
            throw WaitErrors.Timeout(name, timeout);
    }
}
