using System.Text.Json;
using Raceway.Measuring;
using Raceway.Suites.MainJob;

namespace Raceway.Lab.Cli;

/// <summary>Reads the result files that a command is given.</summary>
internal static class ResultInput
{
    private const string Remedy = "give files that 'raceway' wrote with --json.";

    /// <summary>Reads one.</summary>
    /// <exception cref="ToolException">It is missing, cannot be read, or is not a result file.</exception>
    public static ResultFile Read(string name)
    {
        string text;
        try
        {
            FileKind.RefuseSpecial(name);
            text = File.ReadAllText(name);
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException or ArgumentException)
        {
            throw Failure(
                error is FileNotFoundException or DirectoryNotFoundException or ArgumentException
                    ? $"there is no file '{name}'; {Remedy}"
                : Directory.Exists(name) ? $"'{name}' is a folder; {Remedy}"
                : $"cannot read '{name}': {error.Message}",
                error);
        }

        try
        {
            JsonDocument.Parse(text).Dispose();
        }
        catch (JsonException error)
        {
            throw Failure(
                $"'{name}' is not JSON: line {error.LineNumber + 1} cannot be read; it may have been cut off or edited; {Remedy}",
                error);
        }

        try
        {
            ResultFile result = ResultFile.Parse(text);
            if (result.Tool == ResultFile.ToolName && !result.Rows.Contains(null!))
            {
                return Checked(name, result);
            }
        }
        catch (JsonException error)
        {
            string where = error.Path is null or "$" ? "" : $" (at {error.Path})";
            throw Failure($"'{name}' is not a result file: parts are missing or not as expected{where}; {Remedy}", error);
        }

        throw Failure($"'{name}' is not a result file of raceway; {Remedy}");
    }

    // What no constructor asked for: lists may hold nothing where something is meant, and points any number of figures.
    private static ResultFile Checked(string name, ResultFile result)
    {
        foreach (ResultCurve? curve in result.Curves ?? [])
        {
            if (curve is null || curve.Points.Any(static point => point is not [_, _]))
            {
                throw Failure(
                    $"'{name}' is not a result file: every curve must have points of two figures (at $.curves); {Remedy}");
            }
        }

        if (result.Timelines?.Any(static one => one is null || one.Samples.Contains(null!)) == true)
        {
            throw Failure($"'{name}' is not a result file: a timeline lacks a sample (at $.timelines); {Remedy}");
        }

        if (result.Layouts?.Any(static one => one is null || HasNothing(one.Fields) || HasNothing(one.Gaps) || HasNothing(one.Notes)
            || HasNothing(one.Shared) || one.Shared.Any(static shared => HasNothing(shared.Writers) || HasNothing(shared.Fields))) == true)
        {
            throw Failure($"'{name}' is not a result file: a layout lacks a part (at $.layouts); {Remedy}");
        }

        if (result.Rows.Any(static row => row.Knobs?.Values.Contains(null!) == true) || result.Options.Values.Contains(null!))
        {
            throw Failure($"'{name}' is not a result file: a setting has no value (at $.rows or $.options); {Remedy}");
        }

        return result;
    }

    private static bool HasNothing<T>(IEnumerable<T> parts)
        where T : class => parts.Any(static part => part is null);

    private static ToolException Failure(string message, Exception? error = null) => new(message, ExitCode.Usage, error);
}
