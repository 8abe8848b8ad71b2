namespace Raceway.Pipelines;

/// <summary>A plan, and why.</summary>
/// <param name="Plan">The plan.</param>
/// <param name="Reason">Why it is that one.</param>
/// <param name="Helpers">Threads that help a group of fused stages while dear work queues.</param>
internal sealed record PlanChoice(Plan Plan, string Reason, int Helpers = 0)
{
    public const string Asked = "asked for";

    /// <summary>What <paramref name="asked"/> comes to for <paramref name="stages"/>.</summary>
    public static PlanChoice Of(Plan asked, IReadOnlyList<StageDefinition> stages)
    {
        if (asked != Plan.Auto) return new PlanChoice(asked, Asked);
        int processors = Environment.ProcessorCount;
        if (stages.Count(stage => stage.Awaits) is > 0 and var awaiting)
            return new PlanChoice(Plan.Pooled, $"{awaiting} of {stages.Count} stages await, and hold no thread meanwhile");
        if (processors == 1) return new PlanChoice(Plan.Fused, "one processor: threads would take turns");
        if (stages.Count == 1) return new PlanChoice(Plan.Fused, "one stage");
        int helpers = Math.Min(stages.Count, processors) - 1;
        return new PlanChoice(
            Plan.Fused,
            $"{stages.Count} stages on {processors} processors: one thread; {helpers} more help while dear items queue",
            helpers);
    }
}
