using Raceway.Measuring;

namespace Raceway.Suites.LanesSuite;

/// <summary>A contestant of the lanes suite: one producer gives keyed items to workers, a key always to the same.</summary>
public abstract class LanesContestant(string name, LanesShape shape) : ScenarioContestant(name)
{
    /// <summary>Items between two looks at the memory in use and the token.</summary>
    private const int Chunk = 65_536;

    private long _before;
    private long _peak;

    /// <inheritdoc/>
    public override int BusyThreads => shape.Workers + 1;

    /// <inheritdoc/>
    public override long MaxOperations => int.MaxValue;

    /// <summary>The index of an item to be produced with the number of the one before: the round must not be verified.</summary>
    public long? CorruptItem { get; set; }

    /// <summary>Workers, keys and capacity.</summary>
    protected LanesShape Shape => shape;

    /// <summary>The place of each key.</summary>
    protected KeyTable Table { get; } = new();

    /// <inheritdoc/>
    protected override void Prepare(long operations)
    {
        Table.Clear();
        Start();
        _before = _peak = GC.GetTotalMemory(forceFullCollection: false);
    }

    /// <inheritdoc/>
    protected override void Work(long operations, CancellationToken cancellation)
    {
        for (int first = 0; first < operations; first += Chunk)
        {
            cancellation.ThrowIfCancellationRequested();
            Produce(first, (int)Math.Min(operations, (long)first + Chunk), cancellation);
            _peak = Math.Max(_peak, GC.GetTotalMemory(forceFullCollection: false));
        }

        End(cancellation);
    }

    /// <inheritdoc/>
    protected override bool Finish(long operations, out IReadOnlyList<Count> further)
    {
        further = [new Count("heap-growth", "B", _peak - _before)];
        return KeyTally.Agree(Stop(), shape.Load, operations);
    }

    /// <summary>The item of a number.</summary>
    protected KeyedItem ItemOf(int number) =>
        number == CorruptItem ? shape.Load[number] with { Number = Math.Max(0, number - 1) } : shape.Load[number];

    /// <summary>Builds queues and starts workers; not timed.</summary>
    protected abstract void Start();

    /// <summary>Produces the items from <paramref name="first"/> to before <paramref name="end"/>.</summary>
    protected abstract void Produce(int first, int end, CancellationToken cancellation);

    /// <summary>Returns when the workers have handled everything.</summary>
    protected abstract void End(CancellationToken cancellation);

    /// <summary>Ends what is left, and gives the workers' tallies.</summary>
    protected abstract IEnumerable<KeyTally> Stop();
}
