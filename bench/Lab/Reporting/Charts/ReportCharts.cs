namespace Raceway.Lab.Reporting;

/// <summary>Figures as bars, each with its interval: a small chart for terminals and pages alike.</summary>
/// <param name="Caption">What it shows, with the unit.</param>
/// <param name="IsLog">
/// Whether the figures lie so far apart that they stand on a logarithmic line, as points and without a bar from 0.
/// </param>
/// <param name="Bars">Best first.</param>
internal sealed record ReportBars(string Caption, bool IsLog, IReadOnlyList<ReportBar> Bars) : ReportPart
{
    /// <summary>What their lengths are: the caption without what they are of, for a chart that has a title.</summary>
    public string Along { get; init; } = Caption;

    /// <summary>What the bars are of.</summary>
    public string Of { get; init; } = "contestant";
}

/// <summary>One bar.</summary>
/// <param name="Name">The contestant or case.</param>
/// <param name="Value">The figure; absent where nothing was measured.</param>
/// <param name="Low">Lower end of its interval.</param>
/// <param name="High">Upper end of its interval.</param>
/// <param name="Text">The figure with its interval as text, or why there is none.</param>
/// <param name="IsOurs">Whether it is one of ours.</param>
internal sealed record ReportBar(string Name, double? Value, double Low, double High, string Text, bool IsOurs);

/// <summary>A table with cells that are coloured by how good the figure in them is.</summary>
/// <param name="Caption">What it shows.</param>
/// <param name="Down">The knob that varies from row to row.</param>
/// <param name="Across">The knob that varies from column to column.</param>
/// <param name="Columns">Values of the knob across.</param>
/// <param name="Rows">The rows.</param>
internal sealed record ReportHeatMap(
    string Caption, string Down, string Across, IReadOnlyList<string> Columns, IReadOnlyList<HeatRow> Rows) : ReportPart;

/// <summary>A row of a heat map.</summary>
/// <param name="Name">The value of the knob.</param>
/// <param name="Cells">The cells; absent where nothing was measured.</param>
internal sealed record HeatRow(string Name, IReadOnlyList<HeatCell?> Cells);

/// <summary>A cell of a heat map.</summary>
/// <param name="Text">The figure.</param>
/// <param name="Shade">0 for the worst figure of the map, 1 for the best.</param>
/// <param name="IsBest">Whether it is the best one.</param>
/// <param name="Detail">The contestant, and its other settings.</param>
internal sealed record HeatCell(string Text, double Shade, bool IsBest, string Detail);

/// <summary>A chart that is drawn by the page, and what it says as a table, for a reader without the drawing.</summary>
/// <param name="Kind">How it is drawn.</param>
/// <param name="Caption">What it shows.</param>
/// <param name="Summary">What a reader should see in it, in a sentence.</param>
/// <param name="X">What is along.</param>
/// <param name="Y">What is upwards.</param>
/// <param name="Series">What is drawn.</param>
/// <param name="Table">The same as text.</param>
internal sealed record ReportChart(
    ChartKind Kind, string Caption, string Summary, ChartAxis X, ChartAxis Y, IReadOnlyList<ChartSeries> Series,
    ReportTable Table) : ReportPart
{
    /// <summary>Whether the report's tables hold the figures anyway, so that text needs no further one.</summary>
    public bool IsInTables { get; init; }
}

/// <summary>How a chart is drawn.</summary>
internal enum ChartKind
{
    /// <summary>A line for each series.</summary>
    Lines,

    /// <summary>Points; those of the first series are connected.</summary>
    Points,

    /// <summary>Areas on top of each other.</summary>
    Stack,
}

/// <summary>How figures lie along an axis.</summary>
internal enum ChartScale
{
    /// <summary>Evenly.</summary>
    Linear,

    /// <summary>By powers of ten.</summary>
    Log,

    /// <summary>Percentiles by nines: 90, 99, 99.9 are evenly spaced.</summary>
    Percentile,

    /// <summary>Every value that occurs at the same distance.</summary>
    Ordinal,
}

/// <summary>An axis.</summary>
/// <param name="Label">What it shows.</param>
/// <param name="Unit">The unit of its figures.</param>
/// <param name="Scale">How they lie along it.</param>
internal sealed record ChartAxis(string Label, string Unit, ChartScale Scale);

/// <summary>What is drawn in one colour.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Points">By rising x.</param>
/// <param name="Labels">Names of the points, where they have any.</param>
internal sealed record ChartSeries(
    string Name, IReadOnlyList<(double X, double Y)> Points, IReadOnlyList<string>? Labels = null);
