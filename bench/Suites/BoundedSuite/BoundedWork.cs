namespace Raceway.Suites.BoundedSuite;

/// <summary>The bodies of one case, the same for every executor, and what shows that they ran: each item once.</summary>
internal abstract class BoundedWork
{
    private readonly int[] _handled;
    private readonly Func<int, CancellationToken, ValueTask> _counted;
    private int _inFlight;
    private int _peak;

    protected BoundedWork(int items)
    {
        Items = [.. Enumerable.Range(0, items)];
        _handled = new int[items];
        Body = Run;
        _counted = RunCounted;
    }

    /// <summary>The items: numbers from 0.</summary>
    public int[] Items { get; }

    /// <summary>What is done with an item.</summary>
    public Func<int, CancellationToken, ValueTask> Body { get; }

    /// <summary>The same, with the bodies in flight counted.</summary>
    public Func<int, CancellationToken, ValueTask> CountedBody
    {
        get
        {
            _peak = 0;
            return _counted;
        }
    }

    /// <summary>The most counted bodies that were in flight at once.</summary>
    public int Peak => _peak;

    /// <summary>Whether timed bodies count as well; where they are short it would be most of what is timed.</summary>
    public virtual bool AlwaysCounts => false;

    /// <summary>
    /// Whether every item was handled as often as all were given out, the first ones once more; then forgets it.
    /// </summary>
    /// <param name="times">How often all items were given out.</param>
    /// <param name="further">How many of the first were then given out again.</param>
    public bool TakeHandled(long times, int further)
    {
        bool right = true;
        for (int i = 0; i < _handled.Length; i++) right &= _handled[i] == times + (i < further ? 1 : 0);
        Array.Clear(_handled);
        return right;
    }

    /// <summary>Handles an item.</summary>
    protected abstract ValueTask Run(int item, CancellationToken cancellation);

    /// <summary>Notes that an item was handled; called once for each.</summary>
    protected void Note(int item) => _handled[item]++;

    private async ValueTask RunCounted(int item, CancellationToken cancellation)
    {
        int now = Interlocked.Increment(ref _inFlight);
        int peak;
        while (now > (peak = Volatile.Read(ref _peak)) && Interlocked.CompareExchange(ref _peak, now, peak) != peak)
        {
            // Another thread has raised it: look again.
        }

        try
        {
            await Run(item, cancellation);
        }
        finally
        {
            Interlocked.Decrement(ref _inFlight);
        }
    }
}

/// <summary>Bodies that complete at once.</summary>
internal sealed class SynchronousWork(int items) : BoundedWork(items)
{
    protected override ValueTask Run(int item, CancellationToken cancellation)
    {
        Note(item);
        return default;
    }
}

/// <summary>Bodies that give their thread up once.</summary>
internal sealed class YieldingWork(int items) : BoundedWork(items)
{
    protected override async ValueTask Run(int item, CancellationToken cancellation)
    {
        await Task.Yield();
        Note(item);
    }
}

/// <summary>Bodies that wait, each for a time of its own that is the same in every run.</summary>
internal sealed class DelayedWork : BoundedWork
{
    private const int Seed = 20_220_602;
    private const int LeastDelay = 20;
    private const int MostDelay = 200;

    public DelayedWork(int items)
        : base(items)
    {
        var random = new Random(Seed);
        Delays = [.. Items.Select(_ => random.Next(LeastDelay, MostDelay + 1))];
    }

    /// <summary>The delay of each item in milliseconds.</summary>
    public IReadOnlyList<int> Delays { get; }

    public override bool AlwaysCounts => true;

    /// <summary>
    /// The time in milliseconds of an executor that costs nothing: whenever one of <paramref name="bound"/> bodies ends, the
    /// next item is begun, in the order given.
    /// </summary>
    public int MakespanAt(int bound)
    {
        var ends = new PriorityQueue<int, int>();
        int last = 0;
        foreach (int delay in Delays)
        {
            int begin = ends.Count < bound ? 0 : ends.Dequeue();
            ends.Enqueue(begin + delay, begin + delay);
            last = Math.Max(last, begin + delay);
        }

        return last;
    }

    protected override async ValueTask Run(int item, CancellationToken cancellation)
    {
        await Task.Delay(Delays[item], cancellation);
        Note(item);
    }
}
