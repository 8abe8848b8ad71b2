using Real = System.Threading;

namespace Raceway.Explorer.Engine;

/// <summary>A thread of the modelled program.</summary>
/// <param name="view">What it knows: nothing yet. The model's, which takes it back with the end of the execution.</param>
internal sealed class ModelThread(int id, string name, Action body, int[] view)
{
    public int Id { get; } = id;

    /// <summary>Its clock; threads beyond <see cref="Views.Threads"/> share.</summary>
    public int Clock => Id % Views.Threads;

    public string Name { get; set; } = name;

    public Action Body { get; } = body;

    /// <summary>Of the test itself: the execution ends with the last of these.</summary>
    public bool IsBody { get; init; }

    public readonly int[] View = view;
    /// <summary>Known from loads without acquire, until a barrier makes it count. The model's, too.</summary>
    public int[]? Relaxed;
    public readonly Queue<Buffered> Buffer = new();
    public bool Done;
    public bool Started;
    public Carrier? Carrier;

    /// <summary>Waits for this to hold.</summary>
    public Func<bool>? Until;
    public string Waits = "";
    public long Deadline = long.MaxValue;
    /// <summary>Polls: runs again after somebody has stored something, or when nobody else can run.</summary>
    public long YieldedAt = -1;
    /// <summary>Threads that run first, since this one has polled.</summary>
    public ulong GivesWayTo;
    public bool Interrupted;
    public bool Interruptible;
    public bool SawStale;
    public bool Fresh;
    /// <summary>Slot addresses it computes are written, not read.</summary>
    public bool Writes;
    public Modelled.ExecutionContext? Context;
    public int Priority;
}

/// <summary>The system's thread under a modelled one. Only the one that holds the baton runs.</summary>
internal sealed class Carrier
{
    private readonly Baton _baton = new();
    private readonly Model _model;
    private ModelThread? _load;

    public Carrier(Model model)
    {
        _model = model;
        new Real.Thread(Loop, 512 * 1024) { IsBackground = true, Name = "explorer" }.Start();
    }

    public void Load(ModelThread thread) => _load = thread;

    public void Give() => _baton.Give();

    public void Await() => _baton.Await();

    private void Loop()
    {
        _model.Pin();
        while (true)
        {
            _baton.Await();
            _model.RunHere(_load!);
        }
    }
}
