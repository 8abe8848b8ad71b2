namespace Raceway.Pipelines;

/// <summary>A plan, and why.</summary>
/// <param name="Plan">The plan.</param>
/// <param name="Reason">Why it is that one.</param>
/// <param name="Helpers">Threads that help a group of fused stages while work queues.</param>
internal sealed record PlanChoice(Plan Plan, string Reason, int Helpers = 0)
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
            : new PlanChoice(
                Plan.Fused,
                $"{stages.Count} stages and a producer on {processors} processors: a thread each would take turns; "
                + $"{HelpersOf(stages.Count, processors)} more join while items that cost something queue",
                HelpersOf(stages.Count, processors));
    }

    private static int HelpersOf(int stages, int processors) => Math.Min(stages, processors) - 1;
}
