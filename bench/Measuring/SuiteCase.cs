namespace Raceway.Measuring;

/// <summary>What a curve is drawn along.</summary>
/// <param name="Knob">The knob. Its values are numbers.</param>
/// <param name="Unit">Their unit.</param>
public sealed record Axis(string Knob, string Unit);

/// <summary>What is made of a case's figures besides its table.</summary>
/// <param name="Sentence">The answer, to stand below the table.</param>
/// <param name="Rows">Its figures, in a case of their own.</param>
/// <param name="Curves">What it says of the case's contestants, to be drawn beside what was measured.</param>
public sealed record CaseFinding(string Sentence, IReadOnlyList<ResultRow> Rows, IReadOnlyList<ResultCurve> Curves);

/// <summary>One case of a suite.</summary>
/// <param name="Name">The name in the result rows.</param>
/// <param name="Description">What happens in it, in a sentence.</param>
/// <param name="Metric">What its headline figure is.</param>
/// <param name="Contestants">Makes the contestants; each is made once for a measuring run.</param>
public record SuiteCase(
    string Name, string Description, MetricKind Metric, IReadOnlyList<Func<IContestant>> Contestants)
{
    /// <summary>What its rounds have of their own.</summary>
    public RoundPlan Rounds { get; init; } = new();

    /// <summary>Whether it is part of a quick run that names no cases.</summary>
    public bool InQuick { get; init; } = true;

    /// <summary>Those of a quick run, where they are fewer.</summary>
    public IReadOnlyList<Func<IContestant>>? QuickContestants { get; init; }

    /// <summary>The contestant that the others' headline figures are divided by in its table, where it has one.</summary>
    public string? Reference { get; init; }

    /// <summary>
    /// The contestant of ours that the answer sets beside the others; none where each has a load of its own, such as half of its speed.
    /// </summary>
    public string? Compared { get; init; } = Standing.Default;

    /// <summary>The knob that its contestants lie along, where their headline figures make a curve.</summary>
    public Axis? Along { get; init; }

    /// <summary>The load that arrives, where the same is measured under several.</summary>
    public OfferedLoad? Load { get; init; }

    /// <summary>What is made of its result, where that is more than its rows; it returns null where the result does not say enough.</summary>
    public Func<CaseResult, CaseFinding?> Finding { get; init; } = static _ => null;

    /// <summary>The case as a quick run has it.</summary>
    public SuiteCase Quick => QuickContestants is { } fewer ? this with { Contestants = fewer, QuickContestants = null } : this;

    /// <summary>Makes the contestants.</summary>
    public IReadOnlyList<IContestant> Create() => [.. Contestants.Select(static make => make())];
}
