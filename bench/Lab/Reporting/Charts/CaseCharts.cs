using Raceway.Measuring;

namespace Raceway.Lab.Reporting;

/// <summary>Everything that a result file gives to see of a case: bars, heat maps, front, curves and timelines.</summary>
/// <remarks>What a command measured and what <c>raceway report</c> reads back are drawn by the same few lines.</remarks>
internal sealed class CaseCharts
{
    private const string UnderLoad = " at ";
    private readonly ILookup<string, ResultRow> _rows;
    private readonly ILookup<string, ResultRow> _loaded;
    private readonly ILookup<string, ResultCurve> _curves;
    private readonly ILookup<string, ResultTimeline> _timelines;

    /// <summary>The charts of a file.</summary>
    public CaseCharts(ResultFile file)
    {
        _rows = file.Rows.Where(static row => !AimsReport.IsAim(row) && !StandingReport.IsStanding(row)).ToLookup(static row => row.Case);
        _loaded = file.Rows.Where(static row => row.Case.Contains(UnderLoad, StringComparison.Ordinal))
            .ToLookup(static row => row.Case[..row.Case.IndexOf(UnderLoad, StringComparison.Ordinal)]);
        _curves = (file.Curves ?? []).ToLookup(static curve => curve.Case);
        _timelines = (file.Timelines ?? []).ToLookup(static timeline => timeline.Case);
        Cases = [.. _rows.Select(static one => one.Key)
            .Concat(_curves.Select(static one => one.Key)).Concat(_timelines.Select(static one => one.Key)).Distinct()];
    }

    /// <summary>The cases in the order of the file; those that only have curves or timelines are the last.</summary>
    public IReadOnlyList<string> Cases { get; }

    /// <summary>The rows of a case, but for those of aims.</summary>
    public IReadOnlyList<ResultRow> RowsOf(string name) => [.. _rows[name]];

    /// <summary>All charts of a case; none where there is nothing to compare.</summary>
    public IEnumerable<ReportPart> Of(string name)
    {
        IReadOnlyList<ResultRow> rows = RowsOf(name);
        return
        [
            .. BarsReport.Of(rows),
            .. HeatMapReport.Of(rows),

            // "main-job at half speed" is the same case under a load.
            .. FrontReport.Of(rows, [.. _loaded[name]]),
            .. CurvesReport.Of(name, _curves[name]),
            .. TimelinesReport.Of(name, _timelines[name]),
        ];
    }
}
