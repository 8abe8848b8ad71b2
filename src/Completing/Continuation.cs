namespace Raceway.Completing;

/// <summary>The continuation of an awaited completion, taken from it. The taker runs or queues it, once.</summary>
/// <param name="Action">What goes on; null if there is no await yet.</param>
/// <param name="State">What it is given.</param>
internal readonly record struct Continuation(Action<object?>? Action, object? State)
{
    /// <summary>Whether there is an await.</summary>
    public bool IsSet => Action is not null;

    /// <summary>Goes on here and now.</summary>
    public void Run() => Action?.Invoke(State);

    /// <summary>Goes on as a work item of the thread pool; 0 B where it is an async method.</summary>
    public void Queue()
    {
        if (Action is not null) ThreadPool.UnsafeQueueUserWorkItem(Action, State, preferLocal: true);
    }
}

/// <summary>An awaiter that wants to go on elsewhere: in a synchronization context, on a scheduler, in its own context.</summary>
internal sealed class Elsewhere(
    Action<object?> continuation, object? state, object? place, ExecutionContext? context)
{
    public static readonly Action<object?> Go = static elsewhere => ((Elsewhere)elsewhere!).Post();
    private static readonly Action<object?> s_run = static elsewhere => ((Elsewhere)elsewhere!).Run();

    /// <summary>The synchronization context or scheduler of the caller, where it is not the thread pool's.</summary>
    public static object? Place()
    {
        SynchronizationContext? current = SynchronizationContext.Current;
        if (current is not null && current.GetType() != typeof(SynchronizationContext)) return current;
        TaskScheduler scheduler = TaskScheduler.Current;
        return scheduler == TaskScheduler.Default ? null : scheduler;
    }

    private void Post()
    {
        switch (place)
        {
            case SynchronizationContext current:
                current.Post(static elsewhere => ((Elsewhere)elsewhere!).Run(), this);
                break;
            case TaskScheduler scheduler:
                _ = Task.Factory.StartNew(s_run, this, CancellationToken.None, TaskCreationOptions.DenyChildAttach, scheduler);
                break;
            default:
                Run();
                break;
        }
    }

    private void Run()
    {
        if (context is null) continuation(state);
        else ExecutionContext.Run(context, static elsewhere => ((Elsewhere)elsewhere!).Call(), this);
    }

    private void Call() => continuation(state);
}
