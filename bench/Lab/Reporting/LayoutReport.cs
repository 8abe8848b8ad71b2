using System.Globalization;
using Raceway.Measuring;

namespace Raceway.Lab.Reporting;

/// <summary>A layout of a result file: where its fields lie, and which writers share a line.</summary>
internal static class LayoutReport
{
    public static IEnumerable<ReportPart> Of(ResultLayout layout)
    {
        yield return new ReportTable(
            $"{layout.Type}: {layout.Kind}, {layout.Size} B, lines of {layout.LineSize} B",
            [new("offset"), new("size"), new("field", IsFigure: false), new("type", IsFigure: false), new("written by", IsFigure: false)],
            [
                .. layout.Fields.Select(static field => (string[])
                    [Text(field.Offset), Text(field.Size), field.Path, field.Type, field.Writer ?? ""]),
            ]);
        foreach (ResultSharing shared in layout.Shared)
        {
            yield return new ReportText(
                $"SHARED: {string.Join(" and ", shared.Writers)} write one line ({string.Join(", ", shared.Fields)}), "
                + $"at {shared.Places} of {shared.OfPlaces} places"
                + (shared.Live is { } live ? $", and of {live} of {layout.LivePlaces?.Count} live ones." : "."),
                IsResult: true);
        }

        foreach (string note in layout.Notes) yield return new ReportText(note);
    }

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);
}
