namespace Raceway.Rings;

/// <summary>What a thread of the pool steps now, and what it goes on with. Of that thread alone.</summary>
internal sealed class PoolThread
{
    public const int NotSoon = 0;

    // So many steps that find nothing take less than half a microsecond.
    private const int StepsBetweenReads = 4;

    [ThreadStatic]
    private static PoolThread? t_current;

    private int _foundNothing;

    /// <summary>The calling thread, where it steps units; null on any other.</summary>
    public static PoolThread? Current => t_current is { IsAtWork: true } current ? current : null;

    /// <summary>What it steps; null in between.</summary>
    public PoolDriver? Stepped { get; set; }

    /// <summary>What the end of its step has made ready: it goes on with that one.</summary>
    public PoolDriver? Next { get; set; }

    /// <summary>What it has stepped, if that is ready still: it joins the queue at the back.</summary>
    public PoolDriver? Again { get; set; }

    /// <summary>The epoch of the queue in which it counts as back soon, see <see cref="ReadyQueue"/>; or <see cref="NotSoon"/>.</summary>
    public int BackSoonIn { get; set; }

    /// <summary>The context of its work item, which the pool gives to each anew: what every unit is stepped in.</summary>
    public ExecutionContext? Context { get; private set; }

    /// <summary>Where it is, see <see cref="PoolSpread"/>.</summary>
    public PoolSpread.Place Place { get; } = new();

    /// <summary>The clock when it was last read.</summary>
    public long Now { get; set; }

    private bool IsAtWork { get; set; }

    /// <summary>The calling thread begins to step units.</summary>
    public static PoolThread Begin()
    {
        PoolThread thread = t_current ??= new PoolThread();
        thread.Stepped = thread.Next = thread.Again = null;
        thread.BackSoonIn = NotSoon;
        thread._foundNothing = 0;
        thread.Context = ExecutionContext.Capture();
        thread.IsAtWork = true;
        return thread;
    }

    /// <summary>A step has found nothing, and read no clock. Now and then it is read all the same: the next step began then.</summary>
    public void FoundNothing()
    {
        if ((++_foundNothing % StepsBetweenReads) == 0) Now = MachineClock.Now;
    }

    /// <summary>Puts the thread's context back after a unit, so that what its handler has set does not reach the next unit.</summary>
    /// <remarks>To run each unit in a context of its own by <see cref="ExecutionContext.Run"/> does the same, and takes some
    /// 15 ns longer.</remarks>
    public void LeaveContext()
    {
        if (SynchronizationContext.Current is not null) SynchronizationContext.SetSynchronizationContext(null);
        if (ExecutionContext.Capture() != Context) ExecutionContext.Restore(Context!);
    }

    /// <summary>It steps no more.</summary>
    public void End() => IsAtWork = false;
}
