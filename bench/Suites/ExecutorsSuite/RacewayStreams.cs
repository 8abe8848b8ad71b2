using Raceway.Concurrency;

namespace Raceway.Suites.ExecutorsSuite;

/// <summary>Our serial executor; states by value.</summary>
internal sealed class RacewayStream<T>(SerialExecutorOptions options) : IStream<T>
    where T : struct, IMessage<T>
{
    private static readonly Func<T, long> s_handler = static message => T.Handle(in message);

    private readonly SerialExecutor _executor = new(options);

    public ValueTask<long> ExecuteAsync(in T message) => _executor.ExecuteAsync(message, s_handler);

    public ValueTask ExecuteManyAsync(T[] messages, long[] results) =>
        _executor.ExecuteManyAsync(messages, results, s_handler);

    public ValueTask DisposeAsync() => _executor.DisposeAsync();
}

/// <summary>Our serial executor; states by reference.</summary>
internal sealed class RacewayStreamByReference<T>(SerialExecutorOptions options) : SingleCalls<T>
    where T : struct, IMessage<T>
{
    private static readonly InFunc<T, long> s_handler = static (in message) => T.Handle(in message);

    private readonly SerialExecutor _executor = new(options);

    public override ValueTask<long> ExecuteAsync(in T message) => _executor.ExecuteAsync(in message, s_handler);

    public override ValueTask DisposeAsync() => _executor.DisposeAsync();
}
