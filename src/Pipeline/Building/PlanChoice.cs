using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>A plan, and why.</summary>
/// <param name="Plan">The plan.</param>
/// <param name="Reason">Why it is that one.</param>
/// <param name="IsUncut">Whether the pool lets batches grow where a call takes long: what a handler pays for each call, it would pay for
/// each piece.</param>
/// <param name="StepsTogether">Whether the pool steps the stages of a ring together while that is faster.</param>
internal sealed record PlanChoice(Plan Plan, string Reason, bool IsUncut = false, bool StepsTogether = false)
{
    public const string Asked = "asked for";

    /// <summary>How stages wait that the pool drives; null under plans of threads, where each stage says so.</summary>
    public Wait? PoolWait => Plan != Plan.Pooled ? null : IsUncut ? Wait.AsyncUncut : Wait.Async();

    /// <summary>What <paramref name="asked"/> comes to for <paramref name="stages"/>.</summary>
    /// <param name="asked">The plan asked for.</param>
    /// <param name="stages">The stages.</param>
    /// <param name="wait">How stages wait that do not say otherwise.</param>
    public static PlanChoice Of(Plan asked, IReadOnlyList<StageDefinition> stages, Wait wait)
    {
        if (asked != Plan.Auto) return new PlanChoice(asked, Asked);
        PlanChoice choice = OfAuto(stages, wait);
        string[] stateless = [.. stages.Where(static stage => stage.Options.IsStateless).Select(static stage => $"'{stage.Name}'")];
        if (stateless.Length == 0) return choice;
        string threads = choice.Plan != Plan.Pooled ? "one thread each, as stages are there"
            : Environment.ProcessorCount == 1 ? "one thread, as there is one processor"
            : $"up to {Environment.ProcessorCount} threads each, while that pays";
        return choice with { Reason = $"{choice.Reason}; stateless {string.Join(", ", stateless)}: {threads}" };
    }

    private static PlanChoice OfAuto(IReadOnlyList<StageDefinition> stages, Wait wait)
    {
        if (stages.Count(stage => stage.Awaits) is > 0 and var awaiting)
            return new PlanChoice(Plan.Pooled, $"{awaiting} of {stages.Count} stages await, and hold no thread meanwhile", IsUncut: true);
        // A definition that says how a stage waits, or where it runs, has a thread in mind.
        if (!ReferenceEquals(wait, Wait.Default)) return new PlanChoice(Plan.SharedRing, $"the stages wait as they are told: {wait}");
        if (stages.FirstOrDefault(static stage => stage.Options.Wait is not null || stage.Options.Processors is not null) is { } told)
            return new PlanChoice(Plan.SharedRing, $"stage '{told.Name}' is told how to wait, or where to run");
        string how = stages.Count > 1
            ? "the pool steps them together, or apart where that is faster"
            : "it has one of the pool while it has items";
        return new PlanChoice(Plan.Pooled, $"no stage asks for a thread of its own: {how}", IsUncut: true, StepsTogether: true);
    }
}
