using Raceway.Explorer.Engine;

namespace Raceway.Explorer.Modelled;

/// <summary>Modelled <c>System.Threading.Thread</c>.</summary>
internal sealed class Thread(Action body)
{
    private static readonly System.Runtime.CompilerServices.ConditionalWeakTable<ModelThread, Thread> s_known = [];

    private ModelThread? _thread;

    public bool IsBackground { get; set; }

    public string? Name { get; set; }

    public static Thread CurrentThread
    {
        get
        {
            ModelThread me = Model.Me ?? throw new InvalidOperationException("No modelled thread.");
            if (s_known.TryGetValue(me, out Thread? known)) return known;
            var thread = new Thread(() => { }) { _thread = me };
            s_known.Add(me, thread);
            return thread;
        }
    }

    public int ManagedThreadId => _thread!.Id + 1;

    public void Start()
    {
        if (Model.Me is { } me) Model.Current.Point(me);
        _thread = Model.Current.Spawn(Name ?? "thread", body);
        s_known.Add(_thread, this);
    }

    public void Interrupt()
    {
        if (Model.Me is { } me) Model.Current.Point(me);
        _thread!.Interrupted = true;
    }

    public void Join()
    {
        ModelThread me = Model.Me!;
        Model.Current.Point(me);
        Model.Current.Block(me, () => _thread!.Done, $"for {Name} to end");
        Model.Current.Learn(me, _thread!.View);
    }

    /// <summary>Another thread had the processor: time has passed.</summary>
    public static bool Yield()
    {
        if (Model.Me is { } me) Model.Current.YieldProcessor(me);
        return true;
    }

    public static void SpinWait(int iterations)
    {
        if (Model.Me is { } me) Model.Current.Yield(me);
        else Stopwatch.Pass(iterations * PauseNanoseconds);
    }

    private const int PauseNanoseconds = 5_000;
}

/// <summary>Modelled <c>System.Threading.ThreadPool</c>: a thread for each work item.</summary>
internal static class ThreadPool
{
    /// <summary>Some work always waits: whoever would make room for it does.</summary>
    public static long PendingWorkItemCount => 2;

    public static bool UnsafeQueueUserWorkItem(IThreadPoolWorkItem item, bool preferLocal)
    {
        _ = preferLocal;
        Queue(item.Execute);
        return true;
    }

    public static void Queue(Action item)
    {
        if (Model.Me is { } me) Model.Current.Point(me);
        Model.Current.Spawn("pool", item);
    }
}

internal interface IThreadPoolWorkItem
{
    void Execute();
}

internal static class Timeout
{
    public const int Infinite = -1;

    public static readonly TimeSpan InfiniteTimeSpan = TimeSpan.FromMilliseconds(-1);
}

internal sealed class ThreadInterruptedException : Exception;

/// <summary>Modelled <c>System.Threading.Timer</c>.</summary>
internal sealed class Timer : IDisposable
{
    private readonly ModelledTimer _timer;

    public Timer(Action<object?> callback, object? state, int due, int period)
    {
        _timer = Model.Current.AddTimer(() => callback(state));
        Set(due, period);
    }

    public bool Change(int due, int period)
    {
        if (Model.Me is { } me) Model.Current.Point(me);
        Set(due, period);
        return true;
    }

    public void Dispose() => Set(Timeout.Infinite, Timeout.Infinite);

    private void Set(int due, int period)
    {
        Model.Current.Teach(_timer);
        _timer.Due = due == Timeout.Infinite ? long.MaxValue : Model.Current.Now + due * 1_000_000L;
        _timer.Period = Math.Max(0, period) * 1_000_000L;
    }
}
