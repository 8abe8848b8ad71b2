using Raceway.Scenarios.MainJob;

namespace Raceway.Lab.Cli;

/// <summary>Keeps the files that a run writes apart from each other and from the files that it reads.</summary>
internal static class OutputGuard
{
    /// <summary>Refuses to write two things to one file.</summary>
    /// <exception cref="ToolException">Two outputs have the same path.</exception>
    public static void RefuseTwice(params IEnumerable<string?> outputs)
    {
        string? twice = Full(outputs).GroupBy(static path => path).FirstOrDefault(static group => group.Count() > 1)?.Key;
        if (twice is not null)
        {
            throw new ToolException($"'{twice}' is given for two outputs; each needs a file of its own.", ExitCode.Usage);
        }
    }

    /// <summary>Refuses to write over what is read.</summary>
    /// <exception cref="ToolException">An output is named as an input.</exception>
    public static void RefuseInput(IReadOnlyList<string> inputs, params IEnumerable<string?> outputs)
    {
        HashSet<string> written = [.. Full(outputs)];
        if (inputs.FirstOrDefault(path => path.Length > 0 && written.Contains(Path.GetFullPath(path))) is { } both)
        {
            throw new ToolException($"'{both}' is given as input and as output; write to another file.", ExitCode.Usage);
        }
    }

    /// <summary>Leaves files out of the input that a folder holds because an earlier run wrote them there.</summary>
    /// <exception cref="ToolException">An output is named as an input, or nothing else is left.</exception>
    public static InputSet LeaveOut(InputSet input, IReadOnlyList<string> named, params IEnumerable<string?> outputs)
    {
        RefuseInput(named, outputs);
        HashSet<string> written = [.. Full(outputs)];
        string[] left = [.. input.Files.Where(file => !written.Contains(Path.GetFullPath(file)))];
        if (left.Length == 0)
        {
            throw new InputException("the input holds nothing but the files that this run writes.");
        }

        return left.Length == input.Files.Count
            ? input
            : input with { Files = left, Notes = [.. input.Notes, "left out the files that this run writes"] };
    }

    private static IEnumerable<string> Full(IEnumerable<string?> paths) =>
        paths.OfType<string>().Select(static path => Path.GetFullPath(path));
}
