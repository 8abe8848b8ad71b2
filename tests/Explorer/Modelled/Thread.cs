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

/// <summary>Modelled <c>System.Threading.ITimer</c>.</summary>
public interface ITimer : IDisposable
{
    bool Change(TimeSpan dueTime, TimeSpan period);
}

public delegate void TimerCallback(object? state);

/// <summary>Modelled <c>System.TimeProvider</c>: the system's, whose timers go by the model's clock.</summary>
public abstract class TimeProvider
{
    public static TimeProvider System { get; } = new OfModel();

    public abstract long TimestampFrequency { get; }

    public abstract long GetTimestamp();

    public abstract ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period);

    private sealed class OfModel : TimeProvider
    {
        public override long TimestampFrequency => Stopwatch.Frequency;

        public override long GetTimestamp() => Stopwatch.GetTimestamp();

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
            new Timer(callback, state, dueTime);
    }

    private sealed class Timer : ITimer
    {
        private readonly ModelledTimer _timer;

        public Timer(TimerCallback callback, object? state, TimeSpan due)
        {
            _timer = Model.Current.AddTimer(() => callback(state));
            Set(due);
        }

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            if (Model.Me is { } me) Model.Current.Point(me);
            Set(dueTime);
            return true;
        }

        public void Dispose() => Set(Timeout.InfiniteTimeSpan);

        private void Set(TimeSpan due)
        {
            Model.Current.Teach(_timer);
            _timer.Due = due == Timeout.InfiniteTimeSpan ? long.MaxValue : Model.Current.Now + (due.Ticks * 100);
        }
    }
}
