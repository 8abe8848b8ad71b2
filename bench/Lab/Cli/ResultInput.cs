using System.Text.Json;
using Raceway.Scenarios.Measuring;

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
            text = File.ReadAllText(name);
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException or ArgumentException)
        {
            throw Failure(
                error is FileNotFoundException or DirectoryNotFoundException or ArgumentException ? $"there is no file '{name}'; {Remedy}"
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
                return result;
            }
        }
        catch (JsonException error)
        {
            string where = error.Path is null or "$" ? "" : $" (at {error.Path})";
            throw Failure($"'{name}' is not a result file: parts are missing or not as expected{where}; {Remedy}", error);
        }

        throw Failure($"'{name}' is not a result file of raceway; {Remedy}");
    }

    private static ToolException Failure(string message, Exception? error = null) => new(message, ExitCode.Failed, error);
}
