using Raceway.Measuring;

namespace Raceway.Lab.Reporting;

/// <summary>
/// What the rows of a case go by: the contestant, and its settings where one contestant was measured with several; the
/// settings alone where there is no other contestant.
/// </summary>
internal sealed class RowNames
{
    private readonly HashSet<string> _varied;
    private readonly bool _isOnlyOne;

    /// <summary>Names for the rows of one case.</summary>
    public RowNames(IEnumerable<ResultRow> rows)
    {
        var contestants = rows.Select(static row => (row.Contestant, Knobs: KnobsOf(row))).Distinct()
            .GroupBy(static one => one.Contestant).ToArray();
        _varied = [.. contestants.Where(static group => group.Count() > 1).Select(static group => group.Key)];
        _isOnlyOne = contestants.Length == 1;
    }

    /// <summary>The settings of a row in words, but for those named.</summary>
    public static string KnobsOf(ResultRow row, params string[] without) => row.Knobs is not { } knobs
        ? ""
        : string.Join(", ", knobs.Where(knob => !without.Contains(knob.Key))
            .OrderBy(static knob => knob.Key, StringComparer.Ordinal)
            .Select(static knob => $"{knob.Key} {knob.Value}"));

    /// <summary>The name of a row.</summary>
    public string Of(ResultRow row) =>
        !_varied.Contains(row.Contestant) || KnobsOf(row) is not { Length: > 0 } knobs ? row.Contestant
        : _isOnlyOne ? knobs
        : $"{row.Contestant}, {knobs}";
}
