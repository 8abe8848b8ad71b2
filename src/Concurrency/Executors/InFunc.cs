namespace Raceway.Concurrency;

/// <summary>A function of a state that is passed by reference: for structs that are not worth copying once more.</summary>
/// <remarks>The reference is to the executor's own copy, and must not outlive the call.</remarks>
/// <typeparam name="TState">What it is given.</typeparam>
/// <typeparam name="TResult">What it returns.</typeparam>
/// <param name="state">The state of this call.</param>
/// <returns>The result of this call.</returns>
public delegate TResult InFunc<TState, TResult>(in TState state);
