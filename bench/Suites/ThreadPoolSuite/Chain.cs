namespace Raceway.Suites.ThreadPoolSuite;

/// <summary>One chain under way: it counts its hops, so that a round can be checked.</summary>
public sealed class Chain
{
    /// <summary>Hops done so far. One hop at a time; the hand-over between two orders them.</summary>
    public long Hops { get; private set; }

    /// <summary>What a hop does.</summary>
    public void Hop() => Hops++;
}
