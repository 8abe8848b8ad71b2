namespace Raceway.Suites.LanesSuite;

/// <summary>The work alone, on one thread and without any hand-over: the floor of a core.</summary>
/// <param name="shape">The case.</param>
public sealed class OneThreadLanes(LanesShape shape) : LanesContestant("one-thread", shape)
{
    private KeyTally _tally;

    /// <inheritdoc/>
    public override int BusyThreads => 1;

    /// <inheritdoc/>
    protected override void Start() => _tally = new KeyTally(Table);

    /// <inheritdoc/>
    protected override void Produce(int first, int end, CancellationToken cancellation)
    {
        for (int number = first; number < end; number++) _tally.Take(ItemOf(number));
    }

    /// <inheritdoc/>
    protected override void End(CancellationToken cancellation)
    {
    }

    /// <inheritdoc/>
    protected override IEnumerable<KeyTally> Stop() => [_tally];
}
