using System.Runtime.CompilerServices;

namespace Raceway.Explorer.Modelled;

/// <summary>Modelled <c>System.Threading.Tasks.ValueTask</c>.</summary>
[AsyncMethodBuilder(typeof(ValueTaskBuilder))]
public readonly struct ValueTask(Task? task)
{
    public static ValueTask CompletedTask => default;

    public bool IsCompleted => task is null || task.IsCompleted;

    public Task AsTask() => task ?? Task.CompletedTask;

    public TaskAwaiter GetAwaiter() => AsTask().GetAwaiter();

    public ConfiguredValueTaskAwaitable ConfigureAwait(bool continueOnCapturedContext)
    {
        _ = continueOnCapturedContext;
        return new ConfiguredValueTaskAwaitable(AsTask());
    }
}

/// <summary>The same with a result.</summary>
[AsyncMethodBuilder(typeof(Rings.PoolingAsyncValueTaskMethodBuilder<>))]
public readonly struct ValueTask<T>(Task<T> task)
{
    public Task<T> AsTask() => task;

    public TaskAwaiter<T> GetAwaiter() => task.GetAwaiter();

    public ConfiguredTask<T> ConfigureAwait(bool continueOnCapturedContext) => task.ConfigureAwait(continueOnCapturedContext);
}

public readonly struct ConfiguredValueTaskAwaitable(Task task)
{
    public ConfiguredValueTaskAwaiter GetAwaiter() => new(task);

    public readonly struct ConfiguredValueTaskAwaiter(Task task) : ICriticalNotifyCompletion
    {
        public bool IsCompleted => task.IsCompleted;

        public void GetResult() => task.Result();

        public void OnCompleted(Action continuation) => task.OnAwaited(continuation);

        public void UnsafeOnCompleted(Action continuation) => task.OnAwaited(continuation);
    }
}

public interface IAsyncDisposable
{
    ValueTask DisposeAsync();
}
