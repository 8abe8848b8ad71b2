using System.Runtime.CompilerServices;
using Raceway.Explorer.Modelled;

// The ring's own namespace: there it stands before the real one, and an alias cannot have type parameters.
namespace Raceway.Rings;

/// <summary>The builder of <see cref="ValueTask{T}"/>.</summary>
public sealed class PoolingAsyncValueTaskMethodBuilder<T>
{
    private readonly Task<T> _task = new();

    public ValueTask<T> Task => new(_task);

    public static PoolingAsyncValueTaskMethodBuilder<T> Create() => new();

    public void Start<TMachine>(ref TMachine machine)
        where TMachine : IAsyncStateMachine => AsyncMethods.Start(ref machine);

    public void SetStateMachine(IAsyncStateMachine machine) => _ = machine;

    public void SetException(Exception fault) => AsyncMethods.Fault(_task, fault);

    public void SetResult(T value) => _task.TryEnd(value);

    public void AwaitOnCompleted<TAwaiter, TMachine>(ref TAwaiter awaiter, ref TMachine machine)
        where TAwaiter : INotifyCompletion
        where TMachine : IAsyncStateMachine => awaiter.OnCompleted(AsyncMethods.Continuation(ref machine));

    public void AwaitUnsafeOnCompleted<TAwaiter, TMachine>(ref TAwaiter awaiter, ref TMachine machine)
        where TAwaiter : ICriticalNotifyCompletion
        where TMachine : IAsyncStateMachine => awaiter.UnsafeOnCompleted(AsyncMethods.Continuation(ref machine));
}
