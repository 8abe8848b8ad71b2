using System.Globalization;
using System.Text;
using Raceway.Analysis.SharingStudy;
using Raceway.Measuring;

namespace Raceway.Lab.Reporting;

/// <summary>What the false-sharing study has found, in tables and in words.</summary>
internal static class SharingReport
{
    private const int Shared = sizeof(long);
    private const int Control = 128;

    /// <summary>What was found, in words.</summary>
    public static IEnumerable<ReportPart> Answer(SharingFindings findings, MachineCard machine)
    {
        foreach (LayoutChoice choice in findings.Choices) yield return new ReportText(Said(choice), IsResult: true);
        if (findings.Choices.Count > 0) yield return new ReportCommands(Snippet(findings.Choices));
        foreach (string sentence in Sentences(findings, machine)) yield return new ReportText(sentence);
    }

    /// <summary>What was found, in tables.</summary>
    public static IEnumerable<ReportPart> Tables(SharingFindings findings)
    {
        if (findings.Telling.Count > 0) yield return Factors(findings);
        if (findings.Choices.Count > 0) yield return Choices(findings);
    }

    /// <summary>What counted beside the clock.</summary>
    public static ReportText Method(PerfCounters counters) =>
        new(counters.Missing ?? $"Hardware counters: all that were asked for ({string.Join(", ", counters.Metrics)}).");

    private static ReportTable Factors(SharingFindings findings) => new(
        "What a neighbour costs: two threads, over the same 192 bytes apart",
        [
            new("case", IsFigure: false), new("lines", IsFigure: false), new("8 B apart"), new("95 %"), new("128 B apart"),
            new("95 %"), new("rounds"), new("shared", IsFigure: false), new("false alarm", IsFigure: false),
        ],
        [
            .. findings.Telling.SelectMany(static one => new LineClass?[] { null, LineClass.Near, LineClass.Far }
                .Where(line => line is null || Told(one, Shared, line) is not null || Told(one, Control, line) is not null)
                .Select(line => Row(one, line))),
        ]);

    // Processors that change places leave few rounds of one class: each factor is told where there are enough for it.
    private static MedianInterval? Told(CaseResult result, int stride, LineClass? line) =>
        SharingFindings.Factor(result, stride, line) is { } factor
        && (line is null || factor.Rounds >= SharingRows.LeastOfClass) ? factor : null;

    private static string[] Row(CaseResult result, LineClass? line)
    {
        MedianInterval? shared = Told(result, Shared, line);
        MedianInterval? control = Told(result, Control, line);
        return
        [
            result.Name, line?.Name() ?? "all", Figure.Median(shared), Figure.Interval(shared), Figure.Median(control),
            Figure.Interval(control), Figure.Count(Math.Max(shared?.Rounds ?? 0, control?.Rounds ?? 0)),
            shared is null ? Figure.None : SharingFindings.IsAlarm(shared) ? "yes" : "no",
            control is null ? Figure.None : SharingFindings.IsAlarm(control) ? "YES" : "no",
        ];
    }

    private static ReportTable Choices(SharingFindings findings) => new(
        "The real ring: which layout its own figures speak for",
        [
            new("goal", IsFigure: false), new("case", IsFigure: false), new("chosen", IsFigure: false), new("gain"), new("95 %"),
            new("packed cells cost"), new("95 %"),
        ],
        [
            .. findings.Choices.Select(static one => new[]
            {
                one.Goal.Name, one.Goal.Case, one.Chosen, Figure.Median(one.Gain), Figure.Interval(one.Gain),
                Figure.Median(one.Packed), Figure.Interval(one.Packed),
            }),
        ]);

    private static IEnumerable<string> Sentences(SharingFindings findings, MachineCard machine)
    {
        if (machine.UsableCores < 2)
        {
            yield return "One processor is usable: no line moves between two, so nothing is shared falsely; what is said of "
                + "two threads above is how they take turns.";
        }

        foreach (CaseResult one in findings.Telling)
        {
            if (SharingFindings.Factor(one, Shared) is not { } factor) continue;
            yield return SharingFindings.IsAlarm(factor)
                ? $"{one.Name}: eight bytes apart costs {Figure.Plain(factor.Median)} times what it costs apart "
                    + $"({Figure.Interval(factor)})."
                : $"{one.Name}: sharing does not show ({Figure.Plain(factor.Median)} times, {Figure.Interval(factor)}): the two "
                    + "threads ran near each other, or not at the same time.";
        }

        if (findings.Telling.Count > 0) yield return LineSentence(findings, machine);
        if (findings.PairsMove is { } move)
        {
            yield return move
                ? "Cells a line apart still cost more than cells further apart: lines move in pairs; keep cells 128 bytes apart."
                : "Cells a line apart cost what cells further apart do: lines do not move in pairs between these processors.";
        }

        yield return findings.Prefetched is { } prefetched
            ? Said(prefetched)
            : "Whether the processor fetches lines unasked was not measured, or does not show in these rounds.";
    }

    private static string LineSentence(SharingFindings findings, MachineCard machine) => findings.LineBytes switch
    {
        null => $"The size of a line does not show in these rounds; the system says {machine.LineSize} B.",
        { } bytes when bytes == machine.LineSize => $"A line is {bytes} B: measured, and what the system says.",
        { } bytes => $"A line behaves like {bytes} B as measured, but the system says {machine.LineSize} B: trust the larger.",
    };

    private static string Said(Prefetch prefetched) => prefetched switch
    {
        Prefetch.Pair => "The processor fetches the other line of a pair unasked (adjacent-line prefetch): one more reason for "
            + "128 bytes.",
        Prefetch.Next => "The processor fetches the next line unasked, of whatever pair: slots in order are there early.",
        Prefetch.Both => "The processor fetches the lines on both sides unasked.",
        _ => "The processor fetches no line beside the one that is asked for, where lines are visited in random order.",
    };

    private static string Said(LayoutChoice choice) => choice.Gain is { } gain
        ? $"{choice.Goal.Name}: {choice.Chosen}, {Figure.Plain(gain.Median)} times as fast as the default "
            + $"({Figure.Interval(gain)})."
        : $"{choice.Goal.Name}: the default; no other layout is faster by {LayoutChoice.LeastGain:0.##} times or more"
            + (choice.Packed is { } packed
                ? $", and packed cells take {Figure.Plain(packed.Median)} times as long ({Figure.Interval(packed)})."
                : ".");

    private static List<string> Snippet(IEnumerable<LayoutChoice> choices)
    {
        List<string> lines = [];
        foreach (var same in choices.GroupBy(static one => OptionsOf(one.Knobs)))
        {
            lines.Add($"// {string.Join("; ", same.Select(static one => one.Goal.Name))}");
            lines.Add(same.Key);
        }

        return lines;
    }

    private static string OptionsOf(IReadOnlyDictionary<string, string> knobs)
    {
        string padding = knobs["padding"] switch { "8" => "None", "64" => "Line", _ => "LinePair" };
        var text = new StringBuilder(
            string.Create(CultureInfo.InvariantCulture, $"new RingOptions<long> {{ Padding = CellPadding.{padding}"));
        if (knobs["slots"] != "0") text.Append(CultureInfo.InvariantCulture, $", SlotStride = {knobs["slots"]}");
        if (knobs["stamps"] != "Separate") text.Append(CultureInfo.InvariantCulture, $", Stamps = StampLayout.{knobs["stamps"]}");
        return text.Append(" };").ToString();
    }
}
