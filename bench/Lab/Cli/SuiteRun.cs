using Raceway.Lab.Reporting;
using Raceway.Measuring;

namespace Raceway.Lab.Cli;

/// <summary>Cases of a suite, measured one after another.</summary>
/// <param name="Cases">Those that were run, with what came out.</param>
internal sealed record SuiteRun(IReadOnlyList<(SuiteCase Case, CaseResult Result)> Cases)
{
    /// <summary>The results.</summary>
    public IReadOnlyList<CaseResult> Results { get; } = [.. Cases.Select(static one => one.Result)];

    /// <summary>The rows of all rounds, and those of what is made of them.</summary>
    public IReadOnlyList<ResultRow> Rows { get; } =
        [.. Cases.SelectMany(static one => one.Result.Rows), .. Cases.SelectMany(static one => Finding(one)?.Rows ?? [])];

    /// <summary>How ours stands in the cases that compare like with like.</summary>
    public IEnumerable<Standing> Standings =>
        Cases.SelectMany(static one => one.Case.Compared is { } ours ? Standing.AllOf(one.Result, ours) : []);

    /// <summary>A table for each case, what is made of it, and its headline figures as bars.</summary>
    public IEnumerable<ReportPart> Tables => Cases.SelectMany(static one => (IEnumerable<ReportPart>)
    [
        RowsReport.Of(one.Result, one.Case.Description, one.Case.Reference),
        .. Finding(one) is { } finding ? [new ReportText(finding.Sentence, IsResult: true)] : Array.Empty<ReportPart>(),
        .. BarsReport.Of(one.Result.Rows),
    ]);

    /// <summary>
    /// The curves of all that was recorded, and of the cases with contestants along a knob; <see langword="null"/> if
    /// there is none.
    /// </summary>
    public IReadOnlyList<ResultCurve>? Curves
    {
        get
        {
            Dictionary<string, SuiteCase> named = Cases.ToDictionary(static one => one.Case.Name, static one => one.Case);
            ResultCurve[] curves =
            [
                .. Cases.Where(static one => one.Case.Along is not null)
                    .SelectMany(static one => KnobCurves.Of(one.Result.Rows, one.Case.Along!)),
                .. Cases.SelectMany(static one => Finding(one)?.Curves ?? []),
                .. CurveBuilder.Of(Results, name => named[name].Load) ?? [],
            ];
            return curves.Length == 0 ? null : curves;
        }
    }

    /// <summary>A table for each case, with these metrics beside the headline.</summary>
    public IEnumerable<ReportPart> TablesOf(IReadOnlyList<string> further) => Cases.Select(one => RowsReport.Of(
        $"{one.Result.Name}: {one.Case.Description}", one.Result.Rows, further, one.Case.Reference));

    /// <summary>Whether a run did not return.</summary>
    public bool IsAbandoned => Results.Any(static one => one.IsAbandoned);

    /// <summary>Whether every figure comes from rounds with the right result.</summary>
    public bool IsRight => Rows.All(static row => row.Median is null || row.Verified);

    private static CaseFinding? Finding((SuiteCase Case, CaseResult Result) one) => one.Case.Finding(one.Result);
}
