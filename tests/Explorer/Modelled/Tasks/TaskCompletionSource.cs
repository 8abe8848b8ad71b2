namespace Raceway.Explorer.Modelled;

/// <summary>Modelled <c>System.Threading.Tasks.TaskCompletionSource</c>.</summary>
public sealed class TaskCompletionSource(TaskCreationOptions options = TaskCreationOptions.None)
{
    public Task Task { get; } = new() { Queues = options.HasFlag(TaskCreationOptions.RunContinuationsAsynchronously) };

    public bool TrySetResult() => Task.TryEnd(null);

    public void SetResult()
    {
        if (!TrySetResult()) throw new InvalidOperationException("The task has completed already.");
    }

    public bool TrySetException(Exception fault) => Task.TryEnd(fault);

    public bool TrySetCanceled() => Task.TryEnd(new OperationCanceledException(CancellationToken.None));
}
