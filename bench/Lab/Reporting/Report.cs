using Raceway.Measuring;

namespace Raceway.Lab.Reporting;

/// <summary>What a command has to say, before it is text or a page.</summary>
/// <param name="Title">The heading.</param>
/// <param name="Parts">Paragraphs and tables, in order.</param>
internal sealed record Report(string Title, IReadOnlyList<ReportPart> Parts)
{
    /// <summary>What the reader came for, which stands first: a sentence or two, and a chart.</summary>
    public IReadOnlyList<ReportPart> Answer { get; init; } = [];

    /// <summary>How it was measured, which stands behind the tables.</summary>
    public IReadOnlyList<ReportPart> Method { get; init; } = [];

    /// <summary>What it was measured on, which stands last.</summary>
    public MachineCard? Machine { get; init; }
}

/// <summary>A piece of a report.</summary>
internal abstract record ReportPart;

/// <summary>A paragraph.</summary>
/// <param name="Text">One or more sentences.</param>
/// <param name="IsResult">Whether this is what the reader came for.</param>
internal sealed record ReportText(string Text, bool IsResult = false) : ReportPart;

/// <summary>A heading within the report.</summary>
/// <param name="Text">A few words.</param>
/// <param name="Level">1 for a section, 2 for a part of one.</param>
internal sealed record ReportHeading(string Text, int Level = 1) : ReportPart;

/// <summary>Lines to be typed into a shell.</summary>
/// <param name="Lines">The commands.</param>
internal sealed record ReportCommands(IReadOnlyList<string> Lines) : ReportPart;

/// <summary>A table.</summary>
/// <param name="Caption">What it shows.</param>
/// <param name="Columns">The columns; figures stand to the right.</param>
/// <param name="Rows">The cells, row by row.</param>
internal sealed record ReportTable(
    string Caption, IReadOnlyList<ReportColumn> Columns, IReadOnlyList<IReadOnlyList<string>> Rows) : ReportPart;

/// <summary>A column of a table.</summary>
/// <param name="Header">Its heading.</param>
/// <param name="IsFigure">Whether its cells are figures.</param>
internal sealed record ReportColumn(string Header, bool IsFigure = true);
