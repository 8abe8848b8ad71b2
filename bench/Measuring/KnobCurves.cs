using System.Globalization;

namespace Raceway.Measuring;

/// <summary>Turns the rows of a case with contestants along a knob into curves.</summary>
public static class KnobCurves
{
    /// <summary>
    /// A curve for each series: contestants with names that differ only behind the last slash. Those without the knob,
    /// or without a figure, are in none; a series of one is none.
    /// </summary>
    /// <param name="rows">The rows of one case.</param>
    /// <param name="along">What the curves are drawn along.</param>
    public static IReadOnlyList<ResultCurve> Of(IReadOnlyList<ResultRow> rows, Axis along)
    {
        string? headline = rows.Count == 0 ? null : rows[0].Metric;
        return
        [
            .. rows.Where(row => row.Metric == headline && row.Median is not null && PlaceOf(row, along) is not null)
                .GroupBy(static row => row.Contestant[..Math.Max(0, row.Contestant.LastIndexOf('/'))])
                .Where(static series => series.Count() > 1)
                .Select(series => new ResultCurve
                {
                    Case = series.First().Case,
                    Contestant = series.Key,
                    Kind = along.Knob,
                    X = along.Unit,
                    Y = $"{headline}, {series.First().Unit}",
                    Points =
                    [
                        .. series.Select(row => (X: PlaceOf(row, along)!.Value, Y: row.Median!.Value))
                            .OrderBy(static point => point.X)
                            .Select(static point => (IReadOnlyList<double>)[point.X, point.Y]),
                    ],
                }),
        ];
    }

    private static double? PlaceOf(ResultRow row, Axis along) =>
        row.Knobs?.GetValueOrDefault(along.Knob) is { } text
        && double.TryParse(text, CultureInfo.InvariantCulture, out double value) ? value : null;
}
