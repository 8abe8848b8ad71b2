namespace Raceway.Pipelines;

/// <summary>A plan, and why.</summary>
internal sealed class PlanChoice
{
    public const string Asked = "asked for";

    private volatile Chosen _now;

    private PlanChoice(Plan plan, string reason, bool watches = false)
    {
        _now = new Chosen(plan, reason);
        Watches = watches;
    }

    public Plan Plan => _now.Plan;

    public string Reason => _now.Reason;

    /// <summary>Whether what stages cost decides, once it is known (<see cref="WatchedStages"/>).</summary>
    public bool Watches { get; }

    /// <summary>What <paramref name="asked"/> comes to for <paramref name="stages"/>.</summary>
    public static PlanChoice Of(Plan asked, IReadOnlyList<StageDefinition> stages)
    {
        if (asked != Plan.Auto) return new PlanChoice(asked, Asked);
        int processors = Environment.ProcessorCount;
        if (stages.Count(stage => stage.Awaits) is > 0 and var awaiting)
            return new PlanChoice(Plan.Pooled, $"{awaiting} of {stages.Count} stages await, and hold no thread meanwhile");
        if (processors == 1) return new PlanChoice(Plan.Fused, "one processor: threads would take turns");
        if (stages.Count == 1) return new PlanChoice(Plan.Fused, "one stage");
        return new PlanChoice(
            Plan.Fused, $"{stages.Count} stages on {processors} processors, until what they cost is known", watches: true);
    }

    public void Change(Plan plan, string reason) => _now = new Chosen(plan, reason);

    private sealed record Chosen(Plan Plan, string Reason);
}
