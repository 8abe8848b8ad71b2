using System.Globalization;
using Raceway.Analysis.Layouts;
using Raceway.Lab.Cli;
using Spectre.Console;

namespace Raceway.Lab.Layouts;

/// <summary>Prints a layout line by line: at most 100 columns, one colour a writer where there are colours.</summary>
internal sealed class LayoutText(ToolConsole console)
{
    private const int Width = 100;
    private const int NameWidth = 38;
    private const int TypeWidth = 24;

    private static readonly Color[] s_colours =
        [Color.Green, Color.Yellow, Color.Aqua, Color.Fuchsia, Color.Orange1, Color.DodgerBlue1, Color.Red];

    private readonly IAnsiConsole? _rich = console.IsOutRich
        ? AnsiConsole.Create(new AnsiConsoleSettings { Out = new AnsiConsoleOutput(console.Out) })
        : null;

    private readonly List<string> _writers = [];

    /// <summary>Prints one.</summary>
    public void Write(LayoutFinding finding)
    {
        TypeLayout layout = finding.Layout;
        int gaps = layout.Gaps.Sum(static gap => gap.Size);
        string parts = (layout.Start < 0 ? $"{-layout.Start} header, {layout.End - gaps} fields, " : "") + $"{gaps} padding";
        Line("");
        Wrapped($"{finding.Name}: {finding.KindName}, {layout.Size} B ({parts})", "", Decoration.Bold);
        int place = finding.Lines.At ?? 0;
        Wrapped(
            finding.Lines.At is null
                ? $"Drawn as one that begins a line of {finding.Lines.Size} B; it may begin at any multiple of {layout.Step}."
                : $"It begins {place} B into a line of {finding.Lines.Size} B.",
            "  ");
        Line($"  {"offset",8}{"size",6}  {"field",-NameWidth}{"type",-TypeWidth}written by".TrimEnd());
        foreach ((int line, IEnumerable<Row> rows) in Rows(layout)
            .GroupBy(row => finding.Lines.LineOf(place, row.Offset - layout.Origin))
            .Select(static group => (group.Key, group.AsEnumerable())))
        {
            Line(string.Create(CultureInfo.InvariantCulture, $"  -- line {line} ").PadRight(Width - 4, '-'));
            foreach (Row row in rows) Write(row, finding.Lines.LineOf(place, row.Offset + row.Size - 1 - layout.Origin) - line);
        }

        foreach (SharedLine shared in finding.Shared) Wrapped(TextOf(shared), "  ", Decoration.Bold);
        if (finding.LivePlaces is { } live) Wrapped(TextOf(layout, finding.Lines, live), "  ");
        foreach (string note in finding.Notes) Wrapped(note, "  ");
    }

    private static string TextOf(SharedLine shared) =>
        $"SHARED: {shared.One} and {shared.Other} write one line ({LayoutFinding.Listed(shared.Fields)}), "
        + $"at {shared.Places} of {shared.OfPlaces} places"
        + (shared.Live is { } live ? $", and of {live} of {shared.OfLive} live ones." : ".");

    private static string TextOf(TypeLayout layout, CacheLines lines, IReadOnlyList<int> live)
    {
        string places = string.Join(", ", live.CountBy(static place => place).OrderBy(static one => one.Key)
            .Select(static one => $"{one.Key} ({one.Value})"));
        string what = layout.Kind == Analysis.Layouts.LayoutKind.Class ? "objects, fresh ones," : "elements of a fresh array";
        return $"Live: {live.Count} {what} began at these places of their lines of {lines.Size} B: {places}.";
    }

    private static IEnumerable<Row> Rows(TypeLayout layout)
    {
        var rows = new List<Row>();
        if (layout.Start < 0)
        {
            rows.Add(new Row(layout.Start, layout.Origin - layout.Start, "(header)", "", null));
            rows.Add(new Row(layout.Origin, -layout.Origin, "(method table)", "", null));
        }

        rows.AddRange(layout.Fields.Select(static field => new Row(
            field.Offset, field.Size, new string(' ', 2 * field.Depth) + field.Name, field.TypeName, field.Writer)));
        rows.AddRange(layout.Gaps.Select(static gap =>
            new Row(gap.Offset, gap.Size, gap.IsTrailing ? "(trailing space)" : "(gap)", "", null)));
        return rows.OrderBy(static row => row.Offset);
    }

    private void Write(Row row, int furtherLines)
    {
        string name = furtherLines > 0 ? $"{row.Name} (+{furtherLines} lines)" : row.Name;
        string text = string.Create(
            CultureInfo.InvariantCulture,
            $"  {row.Offset,8}{row.Size,6}  {Cut(name, NameWidth - 2),-NameWidth}{Cut(row.Type, TypeWidth - 2),-TypeWidth}");
        string writer = Cut(row.Writer ?? "", Width - text.Length);
        if (_rich is null || row.Writer is null)
        {
            Line((text + writer).TrimEnd());
            return;
        }

        if (!_writers.Contains(row.Writer)) _writers.Add(row.Writer);
        _rich.WriteLine(text + writer, new Style(s_colours[_writers.IndexOf(row.Writer) % s_colours.Length]));
    }

    private static string Cut(string text, int width) => text.Length <= width ? text : text[..(width - 1)] + "…";

    private void Line(string text) => console.Out.WriteLine(text);

    /// <summary>Prints sentences, broken between words.</summary>
    public void Wrapped(string text, string indent, Decoration decoration = Decoration.None)
    {
        string line = indent;
        foreach (string word in text.Split(' '))
        {
            if (line.Length + word.Length > Width && line.Length > indent.Length)
            {
                Styled(line.TrimEnd(), decoration);
                line = indent + "  ";
            }

            line += word + " ";
        }

        Styled(line.TrimEnd(), decoration);
    }

    private void Styled(string line, Decoration decoration)
    {
        if (_rich is null || decoration == Decoration.None) Line(line);
        else _rich.WriteLine(line, new Style(decoration: decoration));
    }

    private sealed record Row(int Offset, int Size, string Name, string Type, string? Writer);
}
