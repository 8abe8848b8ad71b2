namespace Raceway.Lab.Reporting;

/// <summary>What a report says where nothing can be drawn: charts become tables, or nothing where tables say it already.</summary>
internal static class PlainParts
{
    /// <summary>The part as text can show it.</summary>
    public static ReportPart? Of(ReportPart part) => part switch
    {
        ReportBars => null, // the case's table has them
        ReportChart { IsInTables: true } => null,
        ReportChart chart => chart.Table,
        ReportHeatMap map => Table(map),
        _ => part,
    };

    /// <summary>A heat map without colours.</summary>
    public static ReportTable Table(ReportHeatMap map) => new(
        map.Caption.Replace("outlined", "marked with *", StringComparison.Ordinal),
        [new ReportColumn($"{map.Down} \\ {map.Across}", IsFigure: false), .. map.Columns.Select(static name => new ReportColumn(name))],
        [.. map.Rows.Select(static row => (string[])[row.Name, .. row.Cells.Select(static cell =>
            cell is null ? Figure.None : cell.IsBest ? $"* {cell.Text}" : cell.Text)])]);
}
