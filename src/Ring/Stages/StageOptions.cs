using System.Diagnostics.CodeAnalysis;

namespace Raceway.Rings;

/// <summary>How a stage is attached to a ring. Everything has a default.</summary>
/// <example>
/// <code>
/// Stage check = ring.Subscribe(static (ref Order order) => order.IsValid = order.Pieces > 0);
/// ring.Subscribe(write, new StageOptions
/// {
///     Name = "write",
///     After = [check],
///     Dispatch = Dispatch.Batch(max: 256),
///     OnFault = FaultPolicy.Retry(3),
/// });
/// </code>
/// </example>
public sealed record StageOptions
{
    /// <summary>
    /// The stage's name, also of its thread. Default: <c>stage-n</c>. Linux shows the first 15 bytes of it
    /// (<c>top -H</c>, <c>/proc/…/comm</c>).
    /// </summary>
    public string? Name { get; init; }

    /// <summary>The stages that must have passed an item first. Default: none, the stage reads what producers publish.</summary>
    public IReadOnlyList<Stage> After { get; init; } = [];

    /// <summary>How the handler is called. Default: <see cref="Rings.Dispatch.Batch"/>. May be changed while running.</summary>
    public Dispatch Dispatch { get; init; } = Dispatch.Batch();

    /// <summary>How the stage waits when there is nothing to do. Default: the ring's.</summary>
    public Wait? Wait { get; init; }

    /// <summary>What happens when the handler throws. Default: as the pipeline says; in a ring <see cref="FaultPolicy.Stop"/>.</summary>
    public FaultPolicy? OnFault { get; init; }

    /// <summary>What an item weighs, for <see cref="Dispatch.MaxWeight"/>. Default: the bytes of its payload, in a ring of payloads.</summary>
    public Weigher? Weigher { get; init; }

    /// <summary>After how long without an item <see cref="IIdleHandler.OnIdle"/> is called. Default: never.</summary>
    public TimeSpan IdleTimeout { get; init; } = Timeout.InfiniteTimeSpan;

    /// <summary>
    /// How long an async handler may take for a batch. Then its token is signalled; if it has still not completed after the
    /// same time again, the ring is faulted. Default: for ever.
    /// </summary>
    public TimeSpan HandlerTimeout { get; init; } = Timeout.InfiniteTimeSpan;

    /// <summary>
    /// The logical processors that the stage's thread may run on, by the system's numbers. Default: null, the scheduler
    /// decides.
    /// </summary>
    /// <remarks>
    /// <para>Set on the stage's own thread before its start hook runs, on Linux (sched_setaffinity). Elsewhere, and where
    /// the thread is not the stage's own (<see cref="Drive.Caller"/>, <see cref="Wait.Async()"/>), nothing is done;
    /// <see cref="Stage.Placement"/> says what has become of it, and nothing fails. Stages driven together take those of the
    /// first. A producer's thread is its caller's, to be placed by the caller.</para>
    /// <para>It promises that the thread runs nowhere else, not that nothing else runs there.</para>
    /// </remarks>
    public IReadOnlyList<int>? Processors { get; init; }

    /// <summary>
    /// Declares that the handler keeps no state from call to call, and may be called by several threads at once. Default: false,
    /// one thread at a time calls it.
    /// </summary>
    /// <remarks>
    /// <para><b>What the handler promises</b>: a call depends on its own items alone. Calls for different items may run at the same
    /// time and in any order. Each is given a run of neighbours, and each item is in one run. A struct handler is copied for each thread
    /// once its start hook has returned.</para>
    /// <para><b>What is done with it</b>: a stage on the thread pool (<c>Plan.Auto</c>, <c>Plan.Pooled</c>, <see cref="Wait.Async()"/>) has
    /// its large batches split between threads while that pays, by what calls take. Later stages see all items in order. Cheap
    /// items, items that come alone, calls of less than a millisecond while <c>Plan.Auto</c> steps the stages together, one processor and
    /// all other drivers: the stage is one thread's, as if nothing were declared.</para>
    /// <para><b>Batches</b>: a part is as large as <see cref="Dispatch.Max"/> at most. Statistics and limits are those of one
    /// stage.</para>
    /// <para><b>Faults</b>: as of a call of one thread. What other threads have done behind the item that failed is not handled again;
    /// if the ring ends there, it counts as unprocessed.</para>
    /// </remarks>
    public bool IsStateless { get; init; }

    /// <summary>What drives it. Default: a thread of the stage's own.</summary>
    public Drive Drive { get; init; } = Drive.OwnThread;

    /// <summary>The most threads that work on a stateless stage at once.</summary>
    internal int MostThreads { get; init; } = Environment.ProcessorCount;

    /// <summary>True where it is driven together with others (<see cref="FusedStages"/>).</summary>
    internal bool InGroup { get; init; }

    /// <summary>Options that say how the handler is called, and leave the rest as it is; null of null.</summary>
    [return: NotNullIfNotNull(nameof(dispatch))]
    public static implicit operator StageOptions?(Dispatch? dispatch) =>
        dispatch is null ? null : new StageOptions { Dispatch = dispatch };

    /// <summary>Checks what does not depend on a ring's other stages.</summary>
    internal void Check<T>(string? name, int capacity)
    {
        ArgumentNullException.ThrowIfNull(After);
        ArgumentNullException.ThrowIfNull(Dispatch);
        Dispatch.CheckAgainst(capacity);
        if (OnFault?.Fits<T>() == false) throw StageErrors.PolicyType(name, typeof(T));
        if (Weigher is not null && Weigher.For<T>() is null) throw StageErrors.WeigherType(name, typeof(T));
        CheckTimeout(IdleTimeout, nameof(IdleTimeout));
        CheckTimeout(HandlerTimeout, nameof(HandlerTimeout));
        if (!Enum.IsDefined(Drive)) throw StageErrors.Drive(Drive);
        if (Processors is { } processors) CheckProcessors(name, processors);
    }

    private static void CheckProcessors(string? name, IReadOnlyList<int> processors)
    {
        if (processors.Count == 0) throw StageErrors.NoProcessors(name);
        foreach (int processor in processors)
            if (processor is < 0 or >= Affinity.Most) throw StageErrors.Processor(name, processor);
    }

    private static void CheckTimeout(TimeSpan timeout, string name)
    {
        if (timeout <= TimeSpan.Zero && timeout != Timeout.InfiniteTimeSpan)
            throw StageErrors.ZeroTimeout(name, timeout);
    }
}

/// <summary>What drives a stage.</summary>
public enum Drive
{
    /// <summary>A thread of its own (or the thread pool, where the wait is <see cref="Wait.Async()"/>).</summary>
    OwnThread,

    /// <summary>The user calls <see cref="Stage.Step"/> from a loop of their own: a poller, or a deterministic test.</summary>
    Caller,
}
