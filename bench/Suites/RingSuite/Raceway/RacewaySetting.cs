using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Suites.RingSuite;

/// <summary>How a Raceway contestant is set. The default is what a user of a ring gets without any setting: a thread for each stage.</summary>
internal sealed record RacewaySetting
{
    /// <summary>The plan that drives the stages.</summary>
    public Plan Plan { get; init; } = Plan.SharedRing;

    /// <summary>How stages and producers wait.</summary>
    public Wait Wait { get; init; } = Wait.Default;

    /// <summary>How the handlers are called.</summary>
    public Dispatch Dispatch { get; init; } = Dispatch.Batch();

    /// <summary>What the handlers are.</summary>
    public HandlerKind Handler { get; init; }

    /// <summary>The kind of producer, if it is not the one that the case asks for.</summary>
    public ProducerKind? Producers { get; init; }

    /// <summary>Items that a producer claims and publishes at once.</summary>
    public int PublishGroup { get; init; } = 1;

    /// <summary>Publishes by the producer itself, one item a call, and not by what <see cref="SingleProducer{T}.Open"/> gives.</summary>
    public bool ByHandle { get; init; }

    /// <summary>How far apart the ring's cells lie.</summary>
    public CellPadding Padding { get; init; } = CellPadding.LinePair;

    /// <summary>Bytes from slot to slot; 0: side by side.</summary>
    public int SlotStride { get; init; }

    /// <summary>Where the ring's stamps lie.</summary>
    public StampLayout Stamps { get; init; }

    /// <summary>Slots of the ring, if not as many as the case asks for.</summary>
    public int? Capacity { get; init; }

    /// <summary>Each item in a line of its own, with its stamp.</summary>
    /// <remarks>The ring is small: slots of a line each stay in a core's own caches, a larger ring comes from memory every lap.</remarks>
    public static RacewaySetting LatencyLayout { get; } = new() { SlotStride = 64, Stamps = StampLayout.InSlot, Capacity = 1024 };

    /// <summary>Slots of the ring in a case.</summary>
    public int CapacityOf(RingShape shape) => Capacity ?? shape.Capacity;

    /// <summary>The kind of producer in a case.</summary>
    public ProducerKind ProducersOf(RingShape shape) =>
        Producers ?? (shape.MultiProducer ? ProducerKind.Multi : ProducerKind.Single);

    /// <summary>Threads at work at the same time in a case. On the pool at least one for the stages, which is what counts.</summary>
    public int ThreadsOf(RingShape shape) => shape.Producers + (HasThreadPerStage ? shape.Stages : 1);

    /// <summary>Where a stage's thread starts: apart from the producers, as those of every other contestant do. One thread for all stages
    /// has one place. Null: anywhere, where the pool's threads serve all stages.</summary>
    /// <param name="shape">The case.</param>
    /// <param name="stage">The stage, from 1 on.</param>
    public int? PlaceOf(RingShape shape, int stage) => IsOnPool ? null : shape.Producers + (HasThreadPerStage ? stage - 1 : 0);

    private bool IsOnPool => Plan is Plan.Auto or Plan.Pooled;

    private bool HasThreadPerStage => Plan is Plan.SharedRing or Plan.RingPerStage;

    /// <summary>The ring that it asks for in a case.</summary>
    public RingOptions<T> Configure<T>(RingOptions<T> options, RingShape shape) => options with
    {
        Wait = Wait,
        ProducerWait = Wait,
        Producers = ProducersOf(shape),

        // As it comes for several producers; otherwise as many as there are.
        MaxProducers = ProducersOf(shape) == ProducerKind.Multi ? options.MaxProducers : shape.Producers,
        Padding = Padding,
        SlotStride = SlotStride,
        Stamps = Stamps,
    };
}

/// <summary>What the handlers of a Raceway contestant are.</summary>
internal enum HandlerKind
{
    /// <summary>Structs that take an item.</summary>
    Event,

    /// <summary>Structs that take a batch.</summary>
    Batch,

    /// <summary>Objects that take an item, called through the interface.</summary>
    ClassEvent,
}
