namespace Raceway.Concurrency;

/// <summary>How a <see cref="SerialExecutor"/> works. The defaults keep the caller and the handlers apart.</summary>
public sealed record SerialExecutorOptions
{
    /// <summary>Calls that may wait, the one that runs not counted. Default: <see cref="int.MaxValue"/>, no bound.</summary>
    /// <remarks>
    /// A full executor refuses: <c>ExecuteAsync</c> faults with <see cref="ExecutorFullException"/>, <c>TryExecute</c> returns
    /// false. <see cref="SerialExecutor.WaitForRoomAsync"/> waits for room. Costs two atomic operations a call.
    /// </remarks>
    public int Capacity { get; init; } = int.MaxValue;

    /// <summary>
    /// Whether a caller goes on inside of the executor, between two handlers, instead of by a work item of its own. Default
    /// false.
    /// </summary>
    /// <remarks>
    /// Saves a hop for each call that is awaited before it has ended. While the caller goes on, this executor does nothing else:
    /// for callers that do little between two awaits. A caller that blocks there on this executor hangs.
    /// </remarks>
    public bool AllowSynchronousContinuations { get; init; }

    /// <summary>
    /// Whether a call to an idle executor runs its handler at once, on the caller's thread and in its context, until the handler
    /// returns or suspends. Default false.
    /// </summary>
    /// <remarks>
    /// Saves both hops, and everything else, where calls seldom meet. What waits meanwhile is done by the thread pool. Not for
    /// callers that hold a lock which a handler takes, nor for threads that must not be held up.
    /// </remarks>
    public bool RunDirectlyWhenIdle { get; init; }
}
