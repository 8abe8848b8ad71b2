using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Testing;

/// <summary>One way to run a definition over items.</summary>
internal sealed record Way
{
    public static Way OneByOne { get; } = new() { Name = "single dispatch, one by one", Dispatch = Dispatch.Single, MostPerStep = 1 };

    public required string Name { get; init; }

    public Plan Plan { get; init; } = Plan.Manual;

    /// <summary>How every stage is called; null: as the definition says.</summary>
    public Dispatch? Dispatch { get; init; }

    /// <summary>The sizes of the batches; null: as it comes.</summary>
    public IReadOnlyList<int>? Cut { get; init; }

    /// <summary>Of the order of the stages; null: that of the definition.</summary>
    public int? Seed { get; init; }

    /// <summary>Publishes as much as there is room for before anything runs. Else each item, or batch, goes all its way before the next.</summary>
    public bool Crowds { get; init; }

    public int MostPerStep { get; init; } = int.MaxValue;

    /// <summary>The visit of a fault point that fails.</summary>
    public int? FaultAt { get; init; }

    /// <summary>Whether it looks for kept objects at the end, at the cost of a garbage collection.</summary>
    public bool ChecksSlots { get; init; }

    /// <summary>The fewest slots: so that batches wrap round the end of the ring.</summary>
    public int Capacity { get; init; } = 8;

    public static Way OfCut(IReadOnlyList<int> cut, int? faultAt = null) => new()
    {
        Name = faultAt is null ? "batch dispatch" : $"batch dispatch, with a fault at visit {faultAt} of a fault point",
        Dispatch = Dispatch.Batch(),
        Cut = cut,
        FaultAt = faultAt,
        Capacity = Math.Max(2, (int)System.Numerics.BitOperations.RoundUpToPowerOf2((uint)cut.Max())),
    };
}

/// <summary>What a run has come to.</summary>
/// <param name="Result">What the definition's function gave.</param>
/// <param name="Problem">Why there is no result.</param>
/// <param name="Visits">How often fault points were visited.</param>
/// <param name="Thrown">How many visits failed.</param>
internal sealed record Outcome(object? Result, Exception? Problem, int Visits = 0, int Thrown = 0)
{
    public bool IsSameAs(Outcome other) => Problem is null && other.Problem is null && ResultText.AreSame(Result, other.Result);

    public override string ToString() => Problem switch
    {
        null => $"gave {ResultText.Of(Result)}",
        ContractException breach => $"broke a rule: {breach.Rule} ({breach.Found})",
        _ => $"threw {Problem.GetType().Name}: {Problem.Message}",
    };
}
