namespace Raceway.Suites.RingSuite;

/// <summary>What runs in a case: producers, stages and how they hang together, and what each stage does.</summary>
/// <param name="Producers">Threads that publish.</param>
/// <param name="Stages">Threads that handle every item.</param>
/// <param name="Increments">What a stage adds to the item, where it changes it at all.</param>
/// <param name="MultiProducer">The queue must allow several producers, even where only one publishes.</param>
public sealed record RingShape(int Producers, int Stages, int Increments, bool MultiProducer = false)
{
    /// <summary>Items that a queue or ring holds unless the case is about that.</summary>
    public const int DefaultCapacity = 65_536;

    /// <summary>Items that a queue or ring holds.</summary>
    public int Capacity { get; init; } = DefaultCapacity;

    /// <summary>How the stages hang together.</summary>
    public Topology Topology { get; init; }

    /// <summary>Items that a producer publishes at once, where the contestant can.</summary>
    public int PublishGroup { get; init; } = 1;

    /// <summary>Threads at work at the same time.</summary>
    public int BusyThreads => Producers + Stages;

    /// <summary>Stages that check what they see.</summary>
    public int Checks => Enumerable.Range(1, Stages).Count(stage => RoleOf(stage) != StageRole.Add);

    /// <summary>What has been added to an item when the last stage has done its work.</summary>
    public long TotalIncrements => IncrementsAt(Stages);

    /// <summary>The stages that no other one follows: a slot is free once all of them have passed it.</summary>
    public IReadOnlyList<int> LastStages => Topology == Topology.Multicast ? [.. Enumerable.Range(1, Stages)] : [Stages];

    /// <summary>The stages, counted from 1, that a stage follows; none for one that reads what producers publish.</summary>
    public IReadOnlyList<int> After(int stage) => Topology switch
    {
        _ when stage == 1 => [],
        Topology.Multicast => [],
        Topology.Diamond when stage == Stages => [.. Enumerable.Range(2, Stages - 2)],
        Topology.Diamond => [1],
        _ => [stage - 1],
    };

    /// <summary>What a stage does. Those beside each other only read, as they share the slot. So does a last stage that adds nothing.</summary>
    public StageRole RoleOf(int stage) => Topology switch
    {
        Topology.Multicast => StageRole.Check,
        Topology.Diamond when stage != 1 && stage != Stages => StageRole.Check,
        _ when stage != Stages => StageRole.Add,
        // A stage that stores what it has read takes the line from the producer for nothing.
        _ => Increments == 0 ? StageRole.Check : StageRole.AddAndCheck,
    };

    /// <summary>What has been added to an item when a stage has done its work.</summary>
    public long IncrementsAt(int stage)
    {
        IReadOnlyList<int> upstream = After(stage);
        long before = upstream.Count == 0 ? 0 : IncrementsAt(upstream[0]);
        return before + (RoleOf(stage) == StageRole.Check ? 0 : Increments);
    }
}

/// <summary>How the stages of a case hang together.</summary>
public enum Topology
{
    /// <summary>One after another.</summary>
    Chain,

    /// <summary>All beside each other, each sees every item.</summary>
    Multicast,

    /// <summary>A first stage, branches beside each other, and a last stage that joins them.</summary>
    Diamond,
}

/// <summary>What a stage does with an item.</summary>
public enum StageRole
{
    /// <summary>Adds to it.</summary>
    Add,

    /// <summary>Adds to it and takes it into the verdict.</summary>
    AddAndCheck,

    /// <summary>Takes it into the verdict and leaves it as it is.</summary>
    Check,
}
