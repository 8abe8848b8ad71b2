namespace Raceway.Explorer.Engine;

/// <summary>The modelled machine: one execution at a time, one thread of it at a time.</summary>
/// <remarks>
/// Every access to shared memory is a point where another thread may run instead. Which one, and what a load sees where the
/// memory mode leaves it open, is asked of <see cref="Choices"/>. So a list of choices is an execution.
/// </remarks>
internal sealed partial class Model
{
    private const int MostSteps = 20_000;
    private const int MostIdleRounds = 400;
    private const long YieldNanoseconds = 25_000;

    [ThreadStatic]
    private static ModelThread? t_me;

    private readonly List<ModelThread> _threads = [];
    private readonly Stack<Carrier> _idle = new();
    private readonly Baton _ended = new();
    private Choices _choices = new Replay([]);
    private int _bodies;
    private int _preemptions;
    private int _idleRounds;
    private bool _over;
    private int _processor = -1;

    /// <summary>The machine whose execution runs. One at a time in a process.</summary>
    public static Model Current { get; private set; } = new();

    /// <summary>The modelled thread that runs here; null while a body is being set up or judged.</summary>
    public static ModelThread? Me => t_me;

    public MemoryMode Mode { get; set; }

    /// <summary>How often a thread that could go on is made to wait.</summary>
    public int PreemptionBound { get; set; } = 2;

    /// <summary>How often in an execution stores may begin to wait in a buffer, or a load be stale.</summary>
    public int ReorderBound { get; set; } = 1;

    /// <summary>Steps of this execution.</summary>
    public int Steps { get; private set; }

    /// <summary>What went wrong.</summary>
    public string? Failure { get; private set; }

    public Trace? Trace { get; set; }

    public Func<string?>? Invariant { get; set; }

    /// <summary>Counts executions, for the watchdog.</summary>
    public long Executions { get; private set; }

    /// <summary>Whether an execution is under way.</summary>
    public bool IsRunning { get; private set; }

    /// <summary>Runs an execution of what <paramref name="setUp"/> puts together.</summary>
    /// <returns>What went wrong, or null.</returns>
    public string? Run(Choices choices, Func<Action?> setUp)
    {
        Current = this;
        Reset(choices);
        (IsRunning, Executions) = (true, Executions + 1);
        Action? atEnd;
        try
        {
            atEnd = setUp();
            GiveTo(Pick(null));
            _ended.Await();
        }
        catch (ExecutionOver)
        {
            atEnd = null;
        }

        // Stores outlive their thread.
        if (Failure is null) DrainAnyBuffer();
        Unwind();
        IsRunning = false;
        if (Failure is not null) return Failure;
        try
        {
            atEnd?.Invoke();
        }
        catch (Exception e)
        {
            Failure = $"{e.GetType().Name}: {e.Message}";
        }

        return Failure;
    }

    /// <summary>A new thread, ready to run. By a thread of the model, or while the body is set up.</summary>
    public ModelThread Spawn(string name, Action body, bool isBody = false)
    {
        var thread = new ModelThread(_threads.Count, name, body, NewThreadView()) { IsBody = isBody };
        if (isBody) _bodies++;
        if (t_me is { } parent) Views.Copy(parent.View, thread.View, _used);
        thread.View[thread.Clock]++;
        _threads.Add(thread);
        _choices.Created(thread);
        return thread;
    }

    /// <summary>The execution has failed.</summary>
    public void Fail(string message)
    {
        Failure ??= message;
        _over = true;
        throw new ExecutionOver();
    }

    /// <summary>Lets <paramref name="me"/> do its next operation, after whoever is chosen to run before it.</summary>
    public void Point(ModelThread me)
    {
        if (_over) throw new ExecutionOver();
        if (++Steps > MostSteps) Fail("More steps than any run of this body should take: does something spin?");
        me.View[me.Clock]++;
        if (Invariant is { } invariant) Judge(me, invariant);
        SwitchTo(me, Pick(me));
    }

    /// <summary>Waits until <paramref name="until"/> holds; false where the time was up first, or it was interrupted.</summary>
    public bool Block(ModelThread me, Func<bool> until, string what, long deadline = long.MaxValue, bool interruptible = false)
    {
        DrainBuffer(me);
        (me.Until, me.Deadline, me.Waits, me.Interruptible) = (until, deadline, what, interruptible);
        Note(me, $"waits: {what}");
        SwitchTo(me, Pick(me));
        (me.Until, me.Deadline) = (null, long.MaxValue);
        return until();
    }

    /// <summary>The running thread polls: it looks again once something has been stored, or nobody else can run.</summary>
    public void Yield(ModelThread me, long nanoseconds = 0)
    {
        if (_over) throw new ExecutionOver();
        if (++Steps > MostSteps) Fail("More steps than any run of this body should take: does something spin?");
        DrainBuffer(me);
        DrainOldBuffers();
        Now += nanoseconds;
        // Stores become visible in the end: a poll that has seen an old value looks once more, at the newest ones.
        if (me.SawStale) (me.SawStale, me.Fresh) = (false, true);
        else (me.Fresh, me.YieldedAt) = (false, _stores);
        GiveWay(me);
        _idleRounds++;
        SwitchTo(me, Pick(me));
        me.YieldedAt = -1;
    }

    /// <summary>As <see cref="Yield"/>, and time passes: the system had somebody else to run.</summary>
    public void YieldProcessor(ModelThread me) => Yield(me, YieldNanoseconds);

    internal void RunHere(ModelThread thread)
    {
        t_me = thread;
        try
        {
            if (!_over) thread.Body();
        }
        catch (ExecutionOver)
        {
        }
        catch (Exception e)
        {
            Failure ??= $"{thread.Name} ended by {e.GetType().Name}: {e.Message}\n{e.StackTrace}";
            _over = true;
        }

        thread.Done = true;
        t_me = null;
        Carrier mine = thread.Carrier!;
        thread.Carrier = null;
        _idle.Push(mine);
        if (thread.IsBody) _bodies--;
        try
        {
            GiveTo(Pick(thread));
        }
        catch (ExecutionOver)
        {
            _ended.Give();
        }
    }

    internal void Pin()
    {
        if (_processor >= 0) Raceway.Rings.Affinity.Write([_processor]);
    }

    /// <summary>Keeps the threads of the model on one processor: to pass the baton is then no wake-up from afar.</summary>
    public void PinTo(int processor) => _processor = processor;

    private void Reset(Choices choices)
    {
        _choices = choices;
        foreach (ModelThread thread in _threads) TakeBack(thread);
        _threads.Clear();
        (_bodies, _preemptions, _idleRounds, Steps) = (0, 0, 0, 0);
        (_over, Failure, Invariant) = (false, null, null);
        ResetMemory();
        ResetTime();
        _locks.Clear();
        // Each execution is a process of its own.
        Raceway.Rings.ReadyQueue.Shared = new(Raceway.Rings.Clock.Machine);
    }

    private void Judge(ModelThread me, Func<string?> invariant)
    {
        t_me = null;
        string? broken = invariant();
        t_me = me;
        if (broken is not null) Fail($"Invariant: {broken}");
    }

    // The threads that are still there end on their own stacks, one after another.
    private void Unwind()
    {
        _over = true;
        foreach (ModelThread thread in _threads.ToArray())
        {
            if (thread.Done || thread.Carrier is null) continue;
            thread.Carrier.Give();
            _ended.Await();
        }
    }

    private void SwitchTo(ModelThread me, ModelThread next)
    {
        if (next == me) return;
        Carrier mine = me.Carrier!;
        GiveTo(next);
        mine.Await();
        t_me = me;
        if (_over) throw new ExecutionOver();
    }

    private void GiveTo(ModelThread next)
    {
        if (next.Carrier is null)
        {
            next.Carrier = _idle.Count > 0 ? _idle.Pop() : new Carrier(this);
            next.Carrier.Load(next);
            next.Started = true;
        }

        next.Carrier.Give();
    }
}
