using System.Runtime.CompilerServices;
using Raceway.Explorer.Engine;

namespace Raceway.Explorer.Modelled;

/// <summary>Modelled <c>System.Threading.Tasks.Task</c>: continuations run on modelled threads, in an order that is explored.</summary>
[AsyncMethodBuilder(typeof(TaskBuilder))]
public class Task
{
    private const long LeastWait = 100_000;

    private readonly List<Action> _continuations = [];
    private int[]? _known;
    private Exception? _fault;

    public static Task CompletedTask
    {
        get
        {
            var task = new Task();
            task.Done = true;
            return task;
        }
    }

    /// <summary>Whether continuations are queued rather than run by whoever completes it.</summary>
    internal bool Queues { get; init; }

    internal bool Done { get; private set; }

    public bool IsCompleted => Look();

    public bool IsFaulted => Look() && _fault is not null and not OperationCanceledException;

    public bool IsCanceled => Look() && _fault is OperationCanceledException;

    public bool IsCompletedSuccessfully => Look() && _fault is null;

    public AggregateException? Exception => IsFaulted ? new AggregateException(_fault!) : null;

    public static Task Delay(int milliseconds) => Delay(TimeSpan.FromMilliseconds(milliseconds), CancellationToken.None);

    public static Task Delay(TimeSpan time, CancellationToken cancellation = default)
    {
        var task = new Task();
        ModelledTimer timer = Model.Current.AddTimer(() => task.TryEnd(null));
        timer.Due = time < TimeSpan.Zero ? long.MaxValue : Model.Current.Now + time.Ticks * 100;
        cancellation.UnsafeRegister(_ => task.TryEnd(new OperationCanceledException(cancellation)), null);
        return task;
    }

    public static Task Run(Action work)
    {
        var task = new Task();
        ThreadPool.Queue(() =>
        {
            try
            {
                work();
                task.TryEnd(null);
            }
            catch (Exception e) when (e is not ExecutionOver)
            {
                task.TryEnd(e);
            }
        });
        return task;
    }

    public static Task Run(Func<Task> work)
    {
        var task = new Task();
        ExecutionContext? context = ExecutionContext.Capture();
        ThreadPool.Queue(() => ExecutionContext.Run(context, _ => Follow(work(), task), null));
        return task;
    }

    public static Task<Task> WhenAny(params Task[] tasks)
    {
        var first = new Task<Task>();
        foreach (Task task in tasks) task.OnCompleted(() => first.TryEnd(task));
        return first;
    }

    public static async Task WhenAll(params Task[] tasks)
    {
        foreach (Task task in tasks) await task.ConfigureAwait(false);
    }

    public TaskAwaiter GetAwaiter() => new(this);

    public ConfiguredTask ConfigureAwait(bool continueOnCapturedContext)
    {
        _ = continueOnCapturedContext;
        return new ConfiguredTask(this);
    }

    public Task ContinueWith(
        Action<Task> continuation, CancellationToken cancellation, TaskContinuationOptions options, TaskScheduler scheduler)
    {
        _ = (cancellation, scheduler);
        var done = new Task();
        OnCompleted(() =>
        {
            if (!options.HasFlag(TaskContinuationOptions.OnlyOnFaulted) || IsFaulted) continuation(this);
            done.TryEnd(null);
        });
        return done;
    }

    public Task WaitAsync(TimeSpan timeout, CancellationToken cancellation)
    {
        var task = new Task();
        OnCompleted(() => task.TryEnd(_fault));
        CancellationTokenRegistration registration =
            cancellation.UnsafeRegister(_ => task.TryEnd(new OperationCanceledException(cancellation)), null);
        if (timeout >= TimeSpan.Zero)
        {
            ModelledTimer timer = Model.Current.AddTimer(() => task.TryEnd(new TimeoutException()));
            // A wait for no time takes some as well, or who waits again and again would never come to its deadline.
            timer.Due = Model.Current.Now + Math.Max(timeout.Ticks * 100, LeastWait);
            task.OnCompleted(() => timer.Due = long.MaxValue);
        }

        task.OnCompleted(registration.Unregister);
        return task;
    }

    /// <summary>Holds the thread until it has completed; throws what it was faulted with.</summary>
    public void Wait()
    {
        if (Model.Me is { } me)
        {
            Model.Current.Point(me);
            Model.Current.Block(me, () => Done, "for a task");
            Model.Current.Learn(me, _known);
        }

        Result();
    }

    internal void Result()
    {
        if (!Done) throw new InvalidOperationException("The task has not completed, and nothing is left to complete it.");
        if (_fault is not null) System.Runtime.ExceptionServices.ExceptionDispatchInfo.Throw(_fault);
    }

    internal bool TryEnd(Exception? fault, Action? set = null)
    {
        if (Model.Me is { } me)
        {
            Model.Current.Point(me);
            if (Done) return false;
            Model.Current.DrainBuffer(me);
            Model.Current.Meet(me, ref _known);
            Model.Current.Note(me, fault is null ? "completes a task" : $"completes a task by {fault.GetType().Name}");
        }

        if (Done) return false;
        set?.Invoke();
        _fault = fault;
        Done = true;
        Action[] continuations = [.. _continuations];
        _continuations.Clear();
        foreach (Action continuation in continuations)
        {
            if (Queues) ThreadPool.Queue(continuation);
            else continuation();
        }

        return true;
    }

    internal void OnCompleted(Action continuation)
    {
        if (Look())
        {
            continuation();
            return;
        }

        // As between the look and this nothing else can run: no completion is missed.
        _continuations.Add(continuation);
    }

    // An awaiter whose task has completed meanwhile has its continuation queued, or run here: both happen.
    internal void OnAwaited(Action continuation)
    {
        if (Look()) ThreadPool.Queue(continuation);
        else _continuations.Add(continuation);
    }

    private static void Follow(Task inner, Task outer) => inner.OnCompleted(() => outer.TryEnd(inner._fault));

    private bool Look()
    {
        if (Model.Me is not { } me) return Done;
        Model.Current.Point(me);
        if (Done) Model.Current.Learn(me, _known);
        return Done;
    }
}

/// <summary>The same with a result.</summary>
[AsyncMethodBuilder(typeof(TaskBuilder<>))]
public sealed class Task<T> : Task
{
    private T _value = default!;

    public new T Result
    {
        get
        {
            Wait();
            return _value;
        }
    }

    public new TaskAwaiter<T> GetAwaiter() => new(this);

    public new ConfiguredTask<T> ConfigureAwait(bool continueOnCapturedContext)
    {
        _ = continueOnCapturedContext;
        return new ConfiguredTask<T>(this);
    }

    internal bool TryEnd(T value) => TryEnd(null, () => _value = value);

    internal T Value()
    {
        base.Result();
        return _value;
    }
}

public readonly struct ConfiguredTask(Task task)
{
    public TaskAwaiter GetAwaiter() => new(task);
}

public readonly struct ConfiguredTask<T>(Task<T> task)
{
    public TaskAwaiter<T> GetAwaiter() => new(task);
}

public readonly struct TaskAwaiter(Task task) : ICriticalNotifyCompletion
{
    public bool IsCompleted => task.IsCompleted;

    public void GetResult()
    {
        if (Model.Me is null || !task.Done) task.Wait();
        else task.Result();
    }

    public void OnCompleted(Action continuation) => task.OnAwaited(continuation);

    public void UnsafeOnCompleted(Action continuation) => task.OnAwaited(continuation);
}

public readonly struct TaskAwaiter<T>(Task<T> task) : ICriticalNotifyCompletion
{
    public bool IsCompleted => task.IsCompleted;

    public T GetResult()
    {
        if (Model.Me is not null && !task.Done) task.Wait();
        return task.Value();
    }

    public void OnCompleted(Action continuation) => task.OnAwaited(continuation);

    public void UnsafeOnCompleted(Action continuation) => task.OnAwaited(continuation);
}

[Flags]
public enum TaskContinuationOptions
{
    None = 0,
    OnlyOnFaulted = 1,
    ExecuteSynchronously = 2,
}

[Flags]
public enum TaskCreationOptions
{
    None = 0,
    RunContinuationsAsynchronously = 1,
}

public sealed class TaskScheduler
{
    public static TaskScheduler Default { get; } = new();
}
