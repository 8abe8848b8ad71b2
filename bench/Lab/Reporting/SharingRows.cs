using Raceway.Measuring;

namespace Raceway.Lab.Reporting;

/// <summary>The rows of the false-sharing study: over all rounds, and over near and far rounds where there were both.</summary>
internal static class SharingRows
{
    private const string PlacementKnob = "placement";

    /// <summary>Fewer rounds of a class of line say nothing about it.</summary>
    public const int LeastOfClass = 3;

    /// <summary>The classes of line that a case has enough rounds of, where it has enough of both.</summary>
    public static IReadOnlyList<LineClass> ClassesOf(CaseResult result)
    {
        LineClass[] both = [LineClass.Near, LineClass.Far];
        return both.All(line => result.Contestants.All(one => one.Failure is not null
            || one.Rounds.Count(round => result.ClassOf(round) == line) >= LeastOfClass)) ? both : [];
    }

    /// <summary>The rows, each with the placement among its knobs.</summary>
    public static IEnumerable<ResultRow> Of(IEnumerable<CaseResult> results) => results.SelectMany(static result =>
        result.Rows.Select(static row => Placed(row, "any"))
            .Concat(ClassesOf(result).SelectMany(line => result.RowsOf(line)
                .Select(row => Placed(row with { Case = $"{row.Case}/{line.Name()}" }, line.Name())))));

    private static ResultRow Placed(ResultRow row, string placement) => row with
    {
        Knobs = new Dictionary<string, string>(row.Knobs ?? new Dictionary<string, string>()) { [PlacementKnob] = placement },
    };
}
