namespace Raceway.Concurrency;

/// <summary>What is done with an item.</summary>
internal interface IForEachBody<in T>
{
    ValueTask Invoke(T item, CancellationToken cancellation);
}

/// <summary>A body without state.</summary>
internal readonly struct PlainBody<T>(Func<T, CancellationToken, ValueTask> body) : IForEachBody<T>
{
    public ValueTask Invoke(T item, CancellationToken cancellation) => body(item, cancellation);
}

/// <summary>A body with the state that its caller gave: no closure.</summary>
internal readonly struct StateBody<T, TState>(TState state, Func<T, TState, CancellationToken, ValueTask> body)
    : IForEachBody<T>
{
    public ValueTask Invoke(T item, CancellationToken cancellation) => body(item, state, cancellation);
}
