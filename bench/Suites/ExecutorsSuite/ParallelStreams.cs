using Raceway.Concurrency;

namespace Raceway.Suites.ExecutorsSuite;

/// <summary>A semaphore, taken without waiting where it can be, and no state machine for a handler that has completed.</summary>
/// <param name="checksState">Whether every call checks the executor's state under a lock first, as the write-up's does.</param>
internal sealed class SemaphoreCalls<T>(bool checksState) : SingleCalls<T>
    where T : struct, IMessage<T>
{
    private static readonly Func<T, ValueTask<long>> s_handler = static message => T.HandleAsync(in message);
    private readonly SemaphoreSlim _semaphore = new(ParallelCases.MaxConcurrency, ParallelCases.MaxConcurrency);
    private readonly object _stateLock = new();
    private readonly bool _running = true;

    public override ValueTask<long> ExecuteAsync(in T message)
    {
        if (checksState)
        {
            lock (_stateLock)
            {
                if (!_running) throw new InvalidOperationException("The executor is not running.");
            }
        }

        if (!_semaphore.Wait(0)) return WaitAsync(message);
        try
        {
            ValueTask<long> call = s_handler(message);
            if (!call.IsCompleted) return ReleaseAsync(call);
            _semaphore.Release();
            return call;
        }
        catch
        {
            _semaphore.Release();
            throw;
        }
    }

    public override ValueTask DisposeAsync()
    {
        _semaphore.Dispose();
        return default;
    }

    private async ValueTask<long> WaitAsync(T message)
    {
        await _semaphore.WaitAsync();
        return await ReleaseAsync(s_handler(message));
    }

    private async ValueTask<long> ReleaseAsync(ValueTask<long> call)
    {
        try
        {
            return await call;
        }
        finally
        {
            _semaphore.Release();
        }
    }
}

/// <summary>Our parallel executor; handlers that may suspend, states by value.</summary>
internal sealed class RacewayCalls<T> : SingleCalls<T>
    where T : struct, IMessage<T>
{
    private static readonly Func<T, CancellationToken, ValueTask<long>> s_handler =
        static (message, _) => T.HandleAsync(in message);

    private readonly ParallelExecutor _executor = new(ParallelCases.MaxConcurrency);

    public override ValueTask<long> ExecuteAsync(in T message) => _executor.ExecuteAsync(message, s_handler);

    public override ValueTask DisposeAsync() => _executor.DisposeAsync();
}

/// <summary>Our parallel executor; states by reference.</summary>
internal sealed class RacewayCallsByReference<T> : SingleCalls<T>
    where T : struct, IMessage<T>
{
    private static readonly InFunc<T, long> s_handler = static (in message) => T.Handle(in message);

    private readonly ParallelExecutor _executor = new(ParallelCases.MaxConcurrency);

    public override ValueTask<long> ExecuteAsync(in T message) => _executor.ExecuteAsync(in message, s_handler);

    public override ValueTask DisposeAsync() => _executor.DisposeAsync();
}
