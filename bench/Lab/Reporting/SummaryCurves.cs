using System.Globalization;
using Raceway.Lab.Cli;
using Raceway.Measuring;

namespace Raceway.Lab.Reporting;

/// <summary>
/// The curves of a summary. It has no curves and no knobs, but its rows say as much: contestants along a knob are named by its value,
/// such as <c>raceway/batch/64</c>, and the suite says which cases have such a knob.
/// </summary>
internal static class SummaryCurves
{
    /// <summary>The file with its curves along knobs; a file that has curves, or is of no suite, as it is.</summary>
    /// <param name="result">A result file or its summary.</param>
    public static ResultFile Restore(ResultFile result)
    {
        if (result.Curves is not null || !SuiteList.All.TryGetValue(result.Suite, out Suite? suite)) return result;
        Dictionary<string, Axis> axes = suite.Cases.Where(static one => one.Along is not null).ToDictionary(static one => one.Name, static one => one.Along!);
        ResultRow[] rows = [.. result.Rows.Select(row => axes.TryGetValue(row.Case, out Axis? along) ? WithKnob(row, along) : row)];
        return result with
        {
            Rows = rows,
            Curves = [.. axes.SelectMany(one => KnobCurves.Of([.. rows.Where(row => row.Case == one.Key)], one.Value))],
        };
    }

    private static ResultRow WithKnob(ResultRow row, Axis along)
    {
        string value = row.Contestant[(row.Contestant.LastIndexOf('/') + 1)..];
        return row.Knobs is null && int.TryParse(value, NumberStyles.None, CultureInfo.InvariantCulture, out _)
            ? row with { Knobs = new Dictionary<string, string> { [along.Knob] = value } }
            : row;
    }
}
