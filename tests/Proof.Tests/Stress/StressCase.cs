namespace Raceway.Proof.Tests.Stress;

/// <summary>How producers publish.</summary>
public enum Shape
{
    Publish,
    Writer,
    Try,
    Claim,
    Abort,
    Span,
    Open,
    Room,
    Cancel,
    Mixed,
}

/// <summary>Who steps the stages. Where the wait is async, own is the thread pool.</summary>
public enum Drivers
{
    Own,
    Fused,
    Caller,
}

/// <summary>Which stage follows which.</summary>
public enum Topology
{
    One,
    Chain,
    Diamond,
    Fan,
}

/// <summary>What is called.</summary>
public enum Called
{
    Batch,
    StructBatch,
    Event,
    StructEvent,
    Delegate,
    Async,
}

/// <summary>How it is called.</summary>
public enum Calls
{
    Batch,
    Short,
    Each,
    Single,
    Minimum,
    Reports,
}

/// <summary>What slots hold, and where their stamps lie.</summary>
public enum Holds
{
    Items,
    Strided,
    Padded,
    InSlot,
    Objects,
    Letters,
}

/// <summary>Where sequences begin.</summary>
public enum Begins
{
    Zero,
    IntEdge,
    UintEdge,
    LapEdge,
    LongEdge,
}

/// <summary>How the run ends; all but drain with producers at work.</summary>
public enum Ends
{
    Drain,
    Complete,
    Halt,
    Dispose,
}

/// <summary>What else happens.</summary>
public enum Extra
{
    Nothing,
    Stalls,
    Skips,
}

/// <summary>One configuration of a stress run.</summary>
internal sealed record StressCase
{
    public required int Number { get; init; }

    public required int Capacity { get; init; }

    public required ProducerKind Kind { get; init; }

    public required int Producers { get; init; }

    public Shape Shape { get; init; }

    public required string Wait { get; init; }

    public Drivers Drivers { get; init; }

    public Topology Topology { get; init; }

    public Called Called { get; init; }

    public Calls Calls { get; init; }

    public Holds Holds { get; init; }

    public Begins Begins { get; init; }

    public Ends Ends { get; init; }

    public Extra Extra { get; init; }

    /// <summary>The only processor of all its threads, or −1.</summary>
    public int Processor { get; init; } = -1;

    public string Name =>
        $"{Number:D3} {Kind}{Producers} of {Capacity} {Shape} {Wait} {Drivers} {Topology} {Called} {Calls} {Holds} {Begins} {Ends} "
        + $"{Extra}{(Processor < 0 ? "" : " one core")}";

    public Wait Waits => Rings.Wait.All.Single(wait => wait.Name == Wait);

    /// <summary>Sequences that the run may use, given-up ones included.</summary>
    public const long MostSequences = 4_000_000_000;

    public long Start => Begins switch
    {
        Begins.Zero => 0,
        Begins.IntEdge => int.MaxValue - 5L * Capacity,
        Begins.UintEdge => uint.MaxValue - 5L * Capacity,
        Begins.LapEdge => ((1L << 30) - 5) * Capacity,
        // Further on claims would be refused: the sequences are used up.
        _ => long.MaxValue - 4L * Capacity - MostSequences,
    };

    /// <summary>The stages that each stage follows, in order.</summary>
    public int[][] Upstream => Topology switch
    {
        Topology.One => [[]],
        Topology.Chain => [[], [0], [1]],
        Topology.Diamond => [[], [0], [0], [1, 2]],
        _ => [[], []],
    };

    /// <summary>Stages that none follows.</summary>
    public int[] Last => Topology switch
    {
        Topology.One => [0],
        Topology.Chain => [2],
        Topology.Diamond => [3],
        _ => [0, 1],
    };

    public Dispatch Dispatch => Calls switch
    {
        Calls.Batch => Dispatch.Batch(),
        Calls.Short => Dispatch.Batch(max: 3),
        Calls.Each => Dispatch.Each(),
        Calls.Single => Dispatch.Single,
        Calls.Minimum => Dispatch.Batch(min: Math.Min(5, Capacity / 2)),
        _ => Dispatch.Batch(progressInterval: 8),
    };
}
