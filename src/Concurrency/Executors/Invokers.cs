namespace Raceway.Concurrency;

/// <summary>How a handler is called. A struct, so that a call's node is compiled for its kind of handler.</summary>
internal interface IInvoker<TState, TResult>
{
    /// <summary>Calls the handler; a synchronous one has completed on return.</summary>
    ValueTask<TResult> Invoke(in TState state, CancellationToken cancellation);
}

/// <summary>A synchronous handler that takes its state by value.</summary>
internal readonly struct ByValue<TState, TResult>(Func<TState, TResult> handler) : IInvoker<TState, TResult>
{
    public ValueTask<TResult> Invoke(in TState state, CancellationToken cancellation) => new(handler(state));
}

/// <summary>A synchronous handler that takes its state by reference.</summary>
internal readonly struct ByReference<TState, TResult>(InFunc<TState, TResult> handler) : IInvoker<TState, TResult>
{
    public ValueTask<TResult> Invoke(in TState state, CancellationToken cancellation) => new(handler(in state));
}

/// <summary>A handler that may suspend.</summary>
internal readonly struct Suspending<TState, TResult>(Func<TState, CancellationToken, ValueTask<TResult>> handler)
    : IInvoker<TState, TResult>
{
    public ValueTask<TResult> Invoke(in TState state, CancellationToken cancellation) => handler(state, cancellation);
}
