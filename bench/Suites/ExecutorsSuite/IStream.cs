// Each is awaited once.
#pragma warning disable CA2012

namespace Raceway.Suites.ExecutorsSuite;

/// <summary>An executor as a contestant has it: calls of one handler.</summary>
/// <typeparam name="T">What a call is given.</typeparam>
public interface IStream<T> : IAsyncDisposable
    where T : struct, IMessage<T>
{
    /// <summary>One call.</summary>
    ValueTask<long> ExecuteAsync(in T message);

    /// <summary>Many calls, at once where the executor can do that; each result goes to its message's index.</summary>
    ValueTask ExecuteManyAsync(T[] messages, long[] results);
}

/// <summary>Many calls one by one, for executors that know no other way.</summary>
/// <typeparam name="T">What a call is given.</typeparam>
public abstract class SingleCalls<T> : IStream<T>
    where T : struct, IMessage<T>
{
    private ValueTask<long>[] _calls = [];

    /// <inheritdoc/>
    public abstract ValueTask<long> ExecuteAsync(in T message);

    /// <inheritdoc/>
    public async ValueTask ExecuteManyAsync(T[] messages, long[] results)
    {
        if (_calls.Length < messages.Length) _calls = new ValueTask<long>[messages.Length];
        for (int i = 0; i < messages.Length; i++) _calls[i] = ExecuteAsync(in messages[i]);
        for (int i = 0; i < messages.Length; i++) results[i] = await _calls[i];
    }

    /// <inheritdoc/>
    public abstract ValueTask DisposeAsync();
}
