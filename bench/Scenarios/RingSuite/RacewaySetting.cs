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

    /// <summary>Whether the handlers take batches, or single items.</summary>
    public bool BatchHandler { get; init; }

    /// <summary>Items that a single producer claims and publishes at once.</summary>
    public int PublishGroup { get; init; } = 1;
}
