namespace Raceway.Concurrency;

/// <summary>The executor takes no more calls: it is completing, or has completed.</summary>
public sealed class ExecutorStoppedException : InvalidOperationException
{
    internal ExecutorStoppedException()
        : base("The executor takes no more calls: it was completed or disposed. Call before Complete(), or use a new executor.")
    {
    }
}

/// <summary>A bounded executor has as many waiting calls as it may have.</summary>
public sealed class ExecutorFullException : InvalidOperationException
{
    internal ExecutorFullException(int capacity)
        : base(
            $"The executor's waiting calls must not exceed its capacity: capacity={capacity}. Use TryExecute and "
            + "WaitForRoomAsync, await earlier calls, or raise SerialExecutorOptions.Capacity.")
    {
    }
}
