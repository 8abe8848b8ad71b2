using System.Runtime.CompilerServices;
using Raceway.Explorer.Engine;

namespace Raceway.Explorer.Modelled;

/// <summary>What the compiler drives an <c>async</c> method with, for the modelled tasks.</summary>
internal static class AsyncMethods
{
    // A change of async locals in the method is not its caller's.
    public static void Start<TMachine>(ref TMachine machine)
        where TMachine : IAsyncStateMachine
    {
        ModelThread? me = Model.Me;
        ExecutionContext? outer = me?.Context;
        machine.MoveNext();
        if (me is not null) me.Context = outer;
    }

    public static void Fault(Task task, Exception fault)
    {
        if (fault is ExecutionOver) throw fault;
        task.TryEnd(fault);
    }

    public static Action Continuation<TMachine>(ref TMachine machine)
        where TMachine : IAsyncStateMachine
    {
        IAsyncStateMachine boxed = machine;
        ExecutionContext? context = ExecutionContext.Capture();
        return () => ExecutionContext.Run(context, static state => ((IAsyncStateMachine)state!).MoveNext(), boxed);
    }
}

public sealed class TaskBuilder
{
    private readonly Task _task = new();

    public Task Task => _task;

    public static TaskBuilder Create() => new();

    public void Start<TMachine>(ref TMachine machine)
        where TMachine : IAsyncStateMachine => AsyncMethods.Start(ref machine);

    public void SetStateMachine(IAsyncStateMachine machine) => _ = machine;

    public void SetException(Exception fault) => AsyncMethods.Fault(_task, fault);

    public void SetResult() => _task.TryEnd(null);

    public void AwaitOnCompleted<TAwaiter, TMachine>(ref TAwaiter awaiter, ref TMachine machine)
        where TAwaiter : INotifyCompletion
        where TMachine : IAsyncStateMachine => awaiter.OnCompleted(AsyncMethods.Continuation(ref machine));

    public void AwaitUnsafeOnCompleted<TAwaiter, TMachine>(ref TAwaiter awaiter, ref TMachine machine)
        where TAwaiter : ICriticalNotifyCompletion
        where TMachine : IAsyncStateMachine => awaiter.UnsafeOnCompleted(AsyncMethods.Continuation(ref machine));
}

public sealed class TaskBuilder<T>
{
    private readonly Task<T> _task = new();

    public Task<T> Task => _task;

    public static TaskBuilder<T> Create() => new();

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

public sealed class ValueTaskBuilder
{
    private readonly Task _task = new();

    public ValueTask Task => new(_task);

    public static ValueTaskBuilder Create() => new();

    public void Start<TMachine>(ref TMachine machine)
        where TMachine : IAsyncStateMachine => AsyncMethods.Start(ref machine);

    public void SetStateMachine(IAsyncStateMachine machine) => _ = machine;

    public void SetException(Exception fault) => AsyncMethods.Fault(_task, fault);

    public void SetResult() => _task.TryEnd(null);

    public void AwaitOnCompleted<TAwaiter, TMachine>(ref TAwaiter awaiter, ref TMachine machine)
        where TAwaiter : INotifyCompletion
        where TMachine : IAsyncStateMachine => awaiter.OnCompleted(AsyncMethods.Continuation(ref machine));

    public void AwaitUnsafeOnCompleted<TAwaiter, TMachine>(ref TAwaiter awaiter, ref TMachine machine)
        where TAwaiter : ICriticalNotifyCompletion
        where TMachine : IAsyncStateMachine => awaiter.UnsafeOnCompleted(AsyncMethods.Continuation(ref machine));
}
