namespace Raceway.Pipelines;

/// <summary>A plan, and why.</summary>
internal sealed record PlanChoice(Plan Plan, string Reason)
{
    /// <summary>What <paramref name="asked"/> comes to for <paramref name="stages"/>.</summary>
    public static PlanChoice Of(Plan asked, IReadOnlyList<StageDefinition> stages)
    {
        if (asked != Plan.Auto) return new PlanChoice(asked, "asked for");
        int processors = Environment.ProcessorCount;
        if (stages.Count(stage => stage.Awaits) is > 0 and var awaiting)
            return new PlanChoice(Plan.Pooled, $"{awaiting} of {stages.Count} stages await, and hold no thread meanwhile");
        return stages.Count < processors
            ? new PlanChoice(Plan.SharedRing, $"{processors} processors for {stages.Count} stages and a producer: a thread each")
            : new PlanChoice(Plan.Fused, $"{stages.Count} stages and a producer on {processors} processors: threads would take turns");
    }
}
