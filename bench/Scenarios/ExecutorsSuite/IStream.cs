// Each is awaited once.
#pragma warning disable CA2012

namespace Raceway.Scenarios.ExecutorsSuite;

/// <summary>An executor as a contestant has it: calls of one handler.</summary>
/// <typeparam name="T">What a call is given.</typeparam>
public interface IStream<T> : IAsyncDisposable
    where T : struct, IMessage<T>
{
    /// <summary>One call.</summary>
    ValueTask<long> ExecuteAsync(in T message);

    /// <summary>Many calls, at once where the executor can do that; what they result in.</summary>
    ValueTask<long> ExecuteManyAsync(T[] messages);
}

/// <summary>Many calls one by one, for who knows no other way.</summary>
/// <typeparam name="T">What a call is given.</typeparam>
public abstract class SingleCalls<T> : IStream<T>
    where T : struct, IMessage<T>
{
    private ValueTask<long>[] _calls = [];

    /// <inheritdoc/>
    public abstract ValueTask<long> ExecuteAsync(in T message);

    /// <inheritdoc/>
    public async ValueTask<long> ExecuteManyAsync(T[] messages)
    {
        if (_calls.Length < messages.Length) _calls = new ValueTask<long>[messages.Length];
        for (int i = 0; i < messages.Length; i++) _calls[i] = ExecuteAsync(in messages[i]);
        long sum = 0;
        for (int i = 0; i < messages.Length; i++) sum += await _calls[i];
        return sum;
    }

    /// <inheritdoc/>
    public abstract ValueTask DisposeAsync();
}
