using Raceway.Analysis.Tuning;
using Raceway.Measuring;
using Raceway.Suites.Batching;

namespace Raceway.Lab.Reporting;

/// <summary>What <c>raceway tune</c> has to say.</summary>
internal static class TuneReport
{
    // The choice over the same with a knob turned. Of ten knobs one is a little better by chance: the table alone has it then.
    private const double BetterTurned = 0.9;

    private const int FailuresShown = 5;

    // Below that, an alternative is another answer rather than a price.
    private const double MostOfTheGoal = 0.5;

    /// <summary>What a search was for, and how it went.</summary>
    public static ReportText Method(TuneResult result) => new(FormattableString.Invariant(
        $"Goal: {result.Options.Goal}; paced rounds at {result.Options.PacedRate:N0} items/s, {result.Options.Arrivals}; seed {result.Options.Seed}. {RatioText.Rounds(result.Rounds)} of trials beside the finals, {result.Elapsed.TotalSeconds:0} s."));

    /// <summary>What a check was for.</summary>
    public static ReportText Method(TuneCheckResult result) => new(FormattableString.Invariant(
        $"Goal: {result.Options.Goal}; paced rounds at {result.Options.PacedRate:N0} items/s, {result.Options.Arrivals}. A grid of {result.GridSize} settings, its best {result.Best.Count} beside the choices in {TuneCheck.Rounds} interleaved rounds."));

    /// <summary>What a search has chosen, and how sure that is.</summary>
    public static IEnumerable<ReportPart> Answer(TuneResult result)
    {
        yield return new ReportHeading("Use these settings");
        yield return result switch
        {
            { FinalsFailed: true } => new ReportText("Not known: whatever came into the finals failed there, see below.", IsResult: true),
            { Finalists.Count: 0 } => new ReportText("Not known yet: no finals were run.", IsResult: true),
            { Chosen.Count: 0 } => new ReportText(
                "Leave it as it is: nothing that was tried is better than how it is defined, under Plan.Auto, the default.", IsResult: true),
            _ => new ReportCommands($"await using var pipeline = definition.Run({SettingsCode.Of(result.Chosen)});".Split('\n')),
        };
        if (Warning(result) is { } warning) yield return new ReportText(warning, IsResult: true);
        if (result.Warning?.Alternative is { Knobs.Count: > 0 } other)
            yield return new ReportCommands($"await using var pipeline = definition.Run({SettingsCode.Of(other.Knobs)});".Split('\n'));
        foreach (ReportPart part in Confidence(result)) yield return part;
    }

    /// <summary>What the choice costs at a low load, and which finalist does not: null if there is nothing to warn of.</summary>
    public static string? Warning(TuneResult result)
    {
        if (result.Warning is not { } warning) return null;
        string text = FormattableString.Invariant(
            $"Warning: at a low load ({TuneOptions.LowRate:N0} items/s) the choice is slow. Its p{100 * warning.Percentile:0} is {Figure.Time(warning.Chosen)}, against {Figure.Time(warning.Today)} {(warning.TodayName == Knobs.AsDefined ? "as it is defined" : "as it runs today")}.");
        if (warning is not { Alternative: { Over: { } over } other, AlternativeTime: { } time })
            return $"{text} No finalist that was measured is quicker there.";
        string share = FormattableString.Invariant($"{100 / over.Median:0} % of the goal");
        return 1 / over.Median < MostOfTheGoal
            ? $"{text} The quickest way to keep some of both is {other.Name}: {Figure.Time(time)} there, but only {share}."
            : $"{text} If few items may come, use {other.Name}: {Figure.Time(time)} there, and {share}.";
    }

    /// <summary>What a search has found beside its choice.</summary>
    public static IEnumerable<ReportPart> Tables(TuneResult result)
    {
        foreach (TrialFinding finding in result.Findings) yield return new ReportText($"Today: {finding.Text}");
        yield return Finalists(result);
        if (result.Behind is { Count: > 0 } behind)
        {
            yield return new ReportText(FormattableString.Invariant(
                $"At {result.Options.PacedRate:N0} items/s these do not keep up: {string.Join("; ", behind)}."));
        }

        if (result.CallCost is { } cost)
        {
            yield return new ReportText(CallCost.Sentence(cost, FormattableString.Invariant(
                $", at full speed, by trials with limits of {result.CallSizes[0]:N0} to {result.CallSizes[^1]:N0}")));
        }

        if (result.Worth.Count > 0) yield return Worth(result.Worth);
        if (result.LowLoad is { } low) yield return RowsReport.Of(low, "next to nothing comes: what waking up costs");
        if (result.LowLoadOfOthers is { Rows.Count: > 0 } others) yield return RowsReport.Of(others, "the finalists that could be used instead");
        if (result.Failures.Count == 0) yield break;
        string failed = string.Join("; ", result.Failures.Take(FailuresShown).Select(static one => $"{one.Name}: {one.Failure}"));
        yield return new ReportText($"{result.Failures.Count} of the settings failed, or took too long, and were left out: {failed}{(result.Failures.Count > FailuresShown ? "; …" : "")}.");
    }

    /// <summary>Whether the choices of earlier searches hold.</summary>
    public static ReportText Answer(TuneCheckResult result) => new(
        string.Join(
            ' ',
            [
                result.Ratios.Count == 0 ? "Not known: nothing was measured beside each other."
                    : result.Holds ? "Every choice holds."
                    : "NOT every choice holds.",
                .. result.Missing.Select(static one => $"{one.Choice} has no figure: {one.Reason}."),
            ]),
        IsResult: true);

    /// <summary>The figures of a check.</summary>
    public static IEnumerable<ReportPart> Tables(TuneCheckResult result)
    {
        yield return new ReportTable(
            $"Choice over the best of the grid: how many times as good (lower end at least {Figure.Plain(TuneCheck.Bound)})",
            [new("choice", false), new("over", false), new("ratio"), new("95 %"), new("holds", false)],
            [
                .. result.Ratios.Select(static one => (string[])
                    [one.Choice, one.Over, Figure.Plain(one.Ratio.Median), Figure.Range(one.Ratio.Low, one.Ratio.High), one.Holds ? "yes" : "NO"]),
            ]);
        foreach (CaseResult one in new[] { result.FullSpeed, result.Paced }.OfType<CaseResult>()) yield return RowsReport.Of(one, "all of them");
    }

    /// <summary>The rows of a search.</summary>
    public static IReadOnlyList<ResultRow> Rows(TuneResult result)
    {
        Dictionary<string, IReadOnlyDictionary<string, string>> knobs =
            result.Finalists.ToDictionary(static one => one.Name, static one => one.Knobs);
        return [.. Rows(knobs, result.FullSpeed, result.Paced, result.LowLoad, result.LowLoadOfOthers), .. Ratios(result), .. result.CallCost is { } cost ? CallCost.Rows(cost, result.Target) : [], .. result.Tried];
    }

    /// <summary>The rows of a check.</summary>
    public static IReadOnlyList<ResultRow> Rows(TuneCheckResult result) =>
    [
        .. Rows(result.Knobs.ToDictionary(Knobs.NameOf), result.FullSpeed, result.Paced),
        .. result.Ratios.Select(static one => Row("choice over the best of a grid", one.Choice, one.Ratio) with { Note = $"over {one.Over}" }),
    ];

    private static ReportTable Finalists(TuneResult result) => new(
        "Finalists, interleaved: the choice first, then the best",
        [
            new("settings", false), new("M events/s"), new("p99 of a window"), new("p99 of all"), new("CPU ns/event"),
            new("choice is better by"), new("95 %"), new("front", false),
        ],
        [
            .. result.Finalists.Select(static one => (string[])
            [
                one.Name, one.Throughput is { } rate ? Figure.Plain(rate / 1e6) : Figure.None, one.P99 is { } p99 ? Figure.Time(p99) : Figure.None,
                one.P99OfAll is { } whole ? Figure.Time(whole) : Figure.None,
                one.Cpu is { } cpu ? Figure.Plain(cpu) : Figure.None, Figure.Median(one.Over), Figure.Interval(one.Over), one.IsOnFront ? "yes" : "",
            ]),
        ]);

    private static IEnumerable<ReportPart> Confidence(TuneResult result)
    {
        string chosen = Knobs.NameOf(result.Chosen);
        Finalist[] equal = [.. result.Finalists.Where(one => one.Name != chosen && one.Over is { Low: <= 1, High: >= 1 })];
        MedianInterval? own = result.Finalists.FirstOrDefault(one => one.Name != chosen && one.Name != Knobs.Channel)?.Over;
        if (own is { } next)
        {
            bool isJudged = RatioText.CanBeJudged(next);
            string text = $"Over the next best of ours it is {RatioText.Told(next, "as good")}{(isJudged ? $", in {RatioText.Rounds(next.Rounds, "interleaved")}" : "")}";
            yield return new ReportText(!isJudged || equal.Length == 0
                ? $"{text}."
                : $"{text}: within the error it is equal to {string.Join("; ", equal.Select(static one => one.Name))}. Another run may choose one of these.");
        }

        if (result.Finalists.Count > 0 && chosen != result.TodayName && result.Finalists.All(one => one.Name != result.TodayName))
            yield return new ReportText($"Whether it is better than what runs today ({result.TodayName}) is not known: that has no figure of the finals. Give it a longer --budget.");
        if (result.EqualBest is { } best) yield return new ReportText(Sentence(best));
        foreach (KnobWorth one in result.Worth.Where(static one => RatioText.CanBeJudged(one.Ratio) && one.Ratio.High < 1 && one.Ratio.Median < BetterTurned))
        {
            yield return new ReportText(
                $"With {one.Knob} {one.Other} instead of {one.Value} it is better: the choice is {RatioText.Told(one.Ratio, "as good")}. The search was too short to find that: turn this knob, or give it a longer --budget.",
                IsResult: true);
        }

        if (Tail(result) is { } tail) yield return new ReportText(tail);
        if (result.Channel is { } channel) yield return new ReportText(channel.Reason, IsResult: channel.IsEnough);
    }

    private static string Sentence(EqualBest best)
    {
        string ahead = $"{best.Name} has the best median, {Figure.Plain(best.Over.Median)} times as good as the choice [{Figure.Range(best.Over.Low, best.Over.High)}]: no difference is shown";
        return best.ChosenChanges < best.Changes
            ? $"{ahead}. The choice is simpler: it changes {Count(best.ChosenChanges)}, and the other one {Count(best.Changes)}."
            : $"{ahead}. No equal setting that differs from the choice in its limit alone has smaller batches.";

        static string Count(int count) => count == 1 ? "one knob" : $"{count} knobs";
    }

    // What no setting can change: the generator alone is late as well.
    private static string? Tail(TuneResult result)
    {
        if (result is not { TailOverControl: { } over, ControlP99: { } control }) return null;
        if (!result.Options.Goal.Weights.ContainsKey(TuneGoal.P99)) return null;
        string text = $"The machine's own tail: the generator with no pipeline behind it has a p99 of {Figure.Time(control)}; "
            + $"that of the choice is {RatioText.Told(over, "as long")}";
        return RatioText.CanBeJudged(over) && over.Low <= 1 ? $"{text}: the two cannot be told apart, and no setting would show an improvement here." : $"{text}.";
    }

    private static ReportTable Worth(IReadOnlyList<KnobWorth> worth) => new(
        "What each knob is worth: the choice over the same with this knob turned",
        [new("knob", false), new("choice", false), new("turned to", false), new("ratio"), new("95 %"), new("", false)],
        [
            .. worth.Select(static one => (string[])
            [
                one.Knob, one.Value, one.Other, Figure.Plain(one.Ratio.Median), Figure.Range(one.Ratio.Low, one.Ratio.High),
                !RatioText.CanBeJudged(one.Ratio) ? RatioText.TooFew(one.Ratio) : RatioText.ShowsDifference(one.Ratio) ? "" : "no difference shown",
            ]),
        ]);

    private static IEnumerable<ResultRow> Ratios(TuneResult result) =>
    [
        .. result.Finalists.Where(static one => one.Over is not null)
            .Select(static one => Row("finalists over the choice", one.Name, Inverse(one.Over!.Value)) with { Knobs = one.Knobs }),
        .. result.Worth.Select(static one => Row("worth of knobs", one.Knob, one.Ratio) with { Note = $"{one.Value} over {one.Other}" }),
        .. Warnings(result),
    ];

    // More is better, as in every chart: the best of them is the one that the choice gains the least over.
    private static MedianInterval Inverse(MedianInterval ratio) =>
        ratio with { Median = 1 / ratio.Median, Low = 1 / ratio.High, High = 1 / ratio.Low, Min = 1 / ratio.Max, Max = 1 / ratio.Min };

    // One figure, and no interval: the sentence is what counts.
    private static IEnumerable<ResultRow> Warnings(TuneResult result)
    {
        if (result.Warning is not { } warning) yield break;
        yield return new ResultRow
        {
            Case = "low load, choice over today", Contestant = Knobs.NameOf(result.Chosen), Metric = "ratio", Unit = "x",
            Median = warning.Chosen / warning.Today, Rounds = 1, Verified = true, Note = Warning(result), Knobs = result.Chosen,
        };
    }

    private static ResultRow Row(string name, string contestant, MedianInterval ratio) => new()
    {
        Case = name, Contestant = contestant, Metric = "ratio", Unit = "x", Median = ratio.Median, Low = ratio.Low, High = ratio.High,
        Min = ratio.Min, Max = ratio.Max, Rounds = ratio.Rounds, Verified = true,
    };

    private static IEnumerable<ResultRow> Rows(
        Dictionary<string, IReadOnlyDictionary<string, string>> knobs, params IEnumerable<CaseResult?> results) =>
        results.OfType<CaseResult>().SelectMany(static one => one.Rows)
            .Select(row => knobs.TryGetValue(row.Contestant, out IReadOnlyDictionary<string, string>? of) ? row with { Knobs = of } : row);
}
