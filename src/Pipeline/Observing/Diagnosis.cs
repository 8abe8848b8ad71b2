using System.Globalization;
using System.Text;

namespace Raceway.Pipelines;

/// <summary>What a <see cref="Finding"/> is about.</summary>
public enum FindingKind
{
    /// <summary>Producers wait for room while the stages wait for items: the ring holds too little of what comes at once.</summary>
    RingTooSmall,

    /// <summary>A stage waits inside its handler, for something that is none of the pipeline's.</summary>
    BlockingHandler,

    /// <summary>Batches that cost more than they save: others wait for their end, or items for their beginning.</summary>
    BetterUnbatched,

    /// <summary>A stage that all wait for, and that is called for too little at a time.</summary>
    BetterBatched,

    /// <summary>Much of the time goes between a signal and the thread that it wakes.</summary>
    WakeUpsDear,

    /// <summary>Threads are ready to run and have no processor.</summary>
    Oversubscribed,

    /// <summary>The stage that sets the pace.</summary>
    Bottleneck,

    /// <summary>Items come so seldom, or cost so much, that handing them over does not matter.</summary>
    ChannelIsEnough,

    /// <summary>No setting would change much.</summary>
    NothingToGain,
}

/// <summary>One thing that a <see cref="Diagnosis"/> has found. Immutable.</summary>
/// <param name="Kind">What.</param>
/// <param name="Stages">The stages that it is about: several if one thread drives them and it cannot be told which; empty if it is a
/// ring's or the pipeline's.</param>
/// <param name="Ring">Which ring; null where it is none's.</param>
/// <param name="Share">How much of the time it is about, from 0 to 1.</param>
/// <param name="Evidence">The figures that show it.</param>
/// <param name="Remedies">What to change, the most promising first; empty where no setting helps.</param>
public sealed record Finding(
    FindingKind Kind, IReadOnlyList<string> Stages, int? Ring, double Share, string Evidence, IReadOnlyList<Remedy> Remedies)
{
    /// <summary>Where, what and why, and what to do: a line.</summary>
    public override string ToString()
    {
        string where = Stages.Count > 0 ? string.Join('+', Stages) : Ring is { } ring ? $"ring {ring}" : "pipeline";
        string advice = string.Join(" Or: ", Remedies.Select(static remedy => remedy.ToString()));
        return $"{where}: {Name(Kind)}. {Evidence}{(advice.Length == 0 ? "" : " " + advice)}";
    }

    internal static string Name(FindingKind kind) => kind switch
    {
        FindingKind.RingTooSmall => "ring too small",
        FindingKind.BlockingHandler => "waits in its handler",
        FindingKind.BetterUnbatched => "better in smaller batches",
        FindingKind.BetterBatched => "better in larger batches",
        FindingKind.WakeUpsDear => "wake-ups are expensive",
        FindingKind.Oversubscribed => "too few processors",
        FindingKind.Bottleneck => "the bottleneck",
        FindingKind.ChannelIsEnough => "a Channel is enough",
        _ => "nothing to gain by settings",
    };
}

/// <summary>Where a pipeline loses its time, from what it has done between two snapshots. Immutable.</summary>
/// <remarks>
/// <para>It looks at figures that stages and rings keep anyway: the pipeline does nothing for it. Each finding tells the
/// figures that it rests on (<see cref="Finding.Evidence"/>).</para>
/// <para>What happened in the interval is what it sees: choose one with the load that matters, of some tenths of a second at
/// least. From less than 10 ms it finds nothing.</para>
/// </remarks>
/// <param name="Interval">How long it looked.</param>
/// <param name="Findings">What it found, that which matters most first; empty where nothing was handled.</param>
/// <example>
/// <code>
/// PipelineSnapshot before = pipeline.TakeSnapshot();
/// await Task.Delay(TimeSpan.FromSeconds(1), cancellation);
/// Diagnosis diagnosis = Diagnosis.Between(before, pipeline.TakeSnapshot());
/// foreach (Finding finding in diagnosis.Findings) Console.WriteLine(finding);
/// </code>
/// </example>
public sealed record Diagnosis(TimeSpan Interval, IReadOnlyList<Finding> Findings)
{
    /// <summary>Below this, figures are chance.</summary>
    internal static readonly TimeSpan LeastInterval = TimeSpan.FromMilliseconds(10);

    /// <summary>What happened between two snapshots of one pipeline.</summary>
    /// <param name="before">The earlier; null for the pipeline's beginning.</param>
    /// <param name="after">The later.</param>
    /// <exception cref="ArgumentException">The second was taken before the first.</exception>
    public static Diagnosis Between(PipelineSnapshot? before, PipelineSnapshot after) => Of(before, after, nameof(after));

    /// <summary>What happened from the first to the last of several snapshots of one pipeline.</summary>
    /// <remarks>
    /// Those between show more than the two ends: where batches of a stage were of different sizes from one to the next, they tell
    /// what a call of it takes by its batch (<see cref="BatchCostFit"/>), and so what larger or smaller ones would give, and what
    /// they would cost each item. It takes five snapshots, and sizes of which the largest is twice the least.
    /// </remarks>
    /// <param name="snapshots">Two or more, the earliest first.</param>
    /// <exception cref="ArgumentException">There are fewer, or one was taken before the one in front of it.</exception>
    public static Diagnosis Across(IReadOnlyList<PipelineSnapshot> snapshots)
    {
        ArgumentNullException.ThrowIfNull(snapshots);
        if (snapshots.Count < 2)
        {
            throw new ArgumentException(
                $"A diagnosis is of what happened between snapshots: snapshots={snapshots.Count}. Take two or more.", nameof(snapshots));
        }

        foreach (PipelineSnapshot one in snapshots) ArgumentNullException.ThrowIfNull(one, nameof(snapshots));
        PipelineInterval[] parts =
            [.. snapshots.Zip(snapshots.Skip(1), static (before, after) => IntervalOf(before, after, nameof(snapshots)))];
        return Of(IntervalOf(snapshots[0], snapshots[^1], nameof(snapshots)) with { Parts = parts });
    }

    internal static Diagnosis Of(PipelineSnapshot? before, PipelineSnapshot after, string parameter)
    {
        ArgumentNullException.ThrowIfNull(after);
        return Of(IntervalOf(before, after, parameter));
    }

    private static Diagnosis Of(PipelineInterval interval) =>
        new(interval.Length, interval.Length < LeastInterval ? [] : new DiagnosisRules(interval).Find());

    private static PipelineInterval IntervalOf(PipelineSnapshot? before, PipelineSnapshot after, string parameter) =>
        before is null || after.At >= before.At ? PipelineInterval.Between(before, after) : throw new ArgumentException(
            string.Create(
                CultureInfo.InvariantCulture,
                $"The later snapshot must not be the earlier one: before={before.At}, after={after.At}. Swap them."),
            parameter);

    /// <summary>A line a finding.</summary>
    public override string ToString()
    {
        if (Findings.Count == 0) return "nothing was handled, or too little to judge by\n";
        var text = new StringBuilder();
        foreach (Finding finding in Findings) text.Append(finding).Append('\n');
        return text.ToString();
    }
}
