using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Scenarios.RingSuite;

/// <summary>How a Raceway contestant is set; the default is what a user gets who sets nothing.</summary>
internal sealed record RacewaySetting
{
    /// <summary>Who drives the stages.</summary>
    public Plan Plan { get; init; } = Plan.SharedRing;

    /// <summary>How stages and producers wait.</summary>
    public Wait Wait { get; init; } = Wait.Default;

    /// <summary>How the handlers are called.</summary>
    public Dispatch Dispatch { get; init; } = Dispatch.Batch();

    /// <summary>What the handlers are.</summary>
    public HandlerKind Handler { get; init; }

    /// <summary>Who publishes, where it is not what the case asks for.</summary>
    public ProducerKind? Producers { get; init; }

    /// <summary>Items that a producer claims and publishes at once.</summary>
    public int PublishGroup { get; init; } = 1;
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
