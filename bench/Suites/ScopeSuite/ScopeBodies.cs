namespace Raceway.Suites.ScopeSuite;

/// <summary>What the children of a case do, the same for every contestant.</summary>
internal enum ChildKind
{
    /// <summary>Every so many-th child waits 10 ms, the others complete at once: the write-up's.</summary>
    Delayed,

    /// <summary>Every child completes at once.</summary>
    Synchronous,

    /// <summary>Every child gives its thread up once.</summary>
    Yielding,

    /// <summary>Every child is handed to the thread pool: by <see cref="Task.Run(Action)"/>, or spawned.</summary>
    Pool,
}

/// <summary>The children of one case, and what shows that each of them ran once.</summary>
internal sealed class ScopeBodies(ChildKind kind, int size, int asyncRatio)
{
    private const int Delay = 10;
    private readonly int[] _ran = new int[size];
    private readonly Action?[] _actions = new Action?[size];

    /// <summary>How many children.</summary>
    public int Size => size;

    /// <summary>What they do.</summary>
    public ChildKind Kind => kind;

    /// <summary>Starts a child.</summary>
    public Task Start(int child) => kind switch
    {
        ChildKind.Delayed => StartDelayed(child),
        ChildKind.Yielding => StartYielding(child),
        ChildKind.Synchronous => StartSynchronous(child),
        _ => Task.Run(Action(child)),
    };

    /// <summary>The work of a child of the pool, made beforehand: no contestant pays for its closure.</summary>
    public Action Action(int child) => _actions[child] ??= () => Note(child);

    /// <summary>Notes that a child ran.</summary>
    public void Note(int child) => _ran[child]++;

    /// <summary>Whether every child ran so often; then forgets it.</summary>
    public bool TakeRan(long times)
    {
        bool right = Array.TrueForAll(_ran, count => count == times);
        Array.Clear(_ran);
        return right;
    }

    // As the write-up names it: of so many children one is asynchronous.
    private async Task StartDelayed(int child)
    {
        if (child % asyncRatio == 0) await Task.Delay(Delay);
        Note(child);
    }

    private async Task StartYielding(int child)
    {
        await Task.Yield();
        Note(child);
    }

    private Task StartSynchronous(int child)
    {
        Note(child);
        return Task.CompletedTask;
    }
}
