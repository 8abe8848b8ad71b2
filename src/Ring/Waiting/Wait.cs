namespace Raceway.Rings;

/// <summary>How a stage waits for items, or a producer for room. Immutable; one may be given to each.</summary>
/// <remarks>
/// <para>Costs differ by orders of magnitude: one that spins wakes soonest and takes a whole core, one that sleeps takes none
/// and wakes later. Each strategy below says what it costs.</para>
/// <para>To write one of your own, derive from <see cref="PolledWait"/>.</para>
/// </remarks>
/// <example>
/// <code>
/// await using var ring = new RingBuffer&lt;Order>(1024, new() { Wait = Wait.Park(), ProducerWait = Wait.Yield() });
/// ring.Subscribe(write, new StageOptions { Wait = Wait.BusySpin() });  // this stage has a core of its own
/// </code>
/// </example>
public abstract class Wait
{
    private protected Wait(string name) => Name = name;

    /// <summary>One of each strategy with its defaults.</summary>
    public static IReadOnlyList<Wait> All { get; } =
    [
        new BusySpinWait(),
        new YieldWait(),
        new AdaptiveWait(),
        new ParkWait(),
        new TimedParkWait(TimedParkWait.DefaultPeriod),
        new AsyncWait(AsyncWait.DefaultSlice),
    ];

    /// <summary>What holds where nothing is said: <see cref="Park"/> for a thread; a plan may choose the thread pool instead.</summary>
    public static Wait Default { get; } = new ParkWait();

    /// <summary>What tools and tables call it.</summary>
    public string Name { get; }

    /// <summary>Polls without a pause worth naming. Lowest wake-up, a whole core, and at full load slower than
    /// <see cref="Adaptive"/>: it takes the line from the publisher on every message.</summary>
    public static Wait BusySpin() => new BusySpinWait();

    /// <summary>Polls, and gives the processor away between polls after a while.</summary>
    public static Wait Yield() => new YieldWait();

    /// <summary>Lets batches form under load, polls at once while it keeps up, yields when idle. Never sleeps.</summary>
    public static Wait Adaptive() => new AdaptiveWait();

    /// <summary><see cref="Adaptive"/>, and asleep when nothing comes: woken by the thread that advances what it waits for.</summary>
    public static Wait Park() => new ParkWait();

    /// <summary>
    /// <see cref="Adaptive"/>, and asleep for at most <paramref name="period"/> at a time. Going to sleep needs no
    /// process-wide barrier (publishers still fence while it sleeps): a wake-up that is missed costs the rest of the period.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Below a millisecond.</exception>
    public static Wait TimedPark(TimeSpan period) => new TimedParkWait(period);

    /// <summary>Holds no thread while there is nothing to do: a stage runs on the thread pool when something comes; a
    /// producer that blocks parks, and may use the async calls instead.</summary>
    /// <remarks>
    /// Ready stages take turns on a few work items of the pool, each stepped for 50 µs at most (or for the one call of its
    /// handler that takes longer), after which the thread goes back to the pool: unrelated work waits about that long.
    /// </remarks>
    public static Wait Async() => Async(AsyncWait.DefaultSlice);

    /// <summary><see cref="Async()"/> with a time slice of one's own: longer slices mean fewer work items of the pool, and
    /// that unrelated work, and other stages, wait longer.</summary>
    /// <param name="slice">From 1 µs to a second.</param>
    /// <exception cref="ArgumentOutOfRangeException">Outside of that.</exception>
    public static Wait Async(TimeSpan slice) => new AsyncWait(slice);

    /// <summary>The name.</summary>
    public override string ToString() => Name;

    /// <summary>A waiter's own state, for one thread.</summary>
    internal abstract Waiting Create(in WaitContext context);

    /// <summary>
    /// How long a unit is stepped at a time by a thread of the pool, in <see cref="Clock"/> ticks; null where it has a thread of
    /// its own.
    /// </summary>
    internal virtual long? PoolSlice => null;

    /// <summary>Whether a batch is cut so that a slice is not overrun by much.</summary>
    internal virtual bool CutsBatches => true;

    /// <summary><see cref="Async()"/>, with batches that grow to what the dispatch says where a call takes long.</summary>
    internal static Wait AsyncUncut { get; } = new AsyncWait(AsyncWait.DefaultSlice, cutsBatches: false);
}

/// <summary>What a wait is for.</summary>
/// <param name="LeadsChain">A stage that reads what producers publish: there batches form.</param>
/// <param name="Capacity">Slots of the ring.</param>
/// <param name="HasStamps">Whether the cursor is made of stamps.</param>
/// <param name="IsProducer">A producer that waits for room.</param>
internal readonly record struct WaitContext(bool LeadsChain, int Capacity, bool HasStamps, bool IsProducer);
