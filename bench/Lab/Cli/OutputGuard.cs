using Raceway.Measuring;
using Raceway.Suites.MainJob;

namespace Raceway.Lab.Cli;

/// <summary>Keeps the files that a run writes apart from each other and from the files that it reads.</summary>
internal static class OutputGuard
{
    /// <summary>Refuses to write two things to one file.</summary>
    /// <exception cref="ToolException">Two outputs lead to the same file.</exception>
    public static void RefuseTwice(params IEnumerable<string?> outputs)
    {
        if (Of(outputs).GroupBy(static one => one.Identity).FirstOrDefault(static group => group.Count() > 1) is not { } twice) return;
        string[] names = [.. twice.Select(static one => one.Name).Distinct()];
        throw new ToolException(
            names.Length == 1
                ? $"'{Path.GetFullPath(names[0])}' is given for two outputs; each needs a file of its own."
                : $"'{names[0]}' and '{names[1]}' lead to one file; each output needs a file of its own.",
            ExitCode.Usage);
    }

    /// <summary>Refuses to write over what is read.</summary>
    /// <exception cref="ToolException">An output leads to an input.</exception>
    public static void RefuseInput(IReadOnlyList<string> inputs, params IEnumerable<string?> outputs)
    {
        Dictionary<string, string> written = ByIdentity(outputs);
        foreach (string input in inputs)
        {
            if (input.Length > 0 && written.TryGetValue(FileKind.IdentityOf(input), out string? output)) throw Both(input, output);
        }
    }

    /// <summary>Leaves files out of the input that a folder holds because an earlier run wrote them there.</summary>
    /// <exception cref="ToolException">
    /// An output is named as an input, or is a link to a file of the input, or nothing else is left.
    /// </exception>
    public static InputSet LeaveOut(InputSet input, IReadOnlyList<string> named, params IEnumerable<string?> outputs)
    {
        RefuseInput(named, outputs);
        Dictionary<string, string> written = ByIdentity(outputs);
        if (written.Count == 0) return input;
        var left = new List<string>();
        foreach (string file in input.Files)
        {
            if (!written.TryGetValue(FileKind.IdentityOf(file), out string? output)) left.Add(file);
            // By another name it is no file that an earlier run wrote, but one that this run would destroy.
            else if (Path.GetFullPath(file) != Path.GetFullPath(output)) throw Both(file, output);
        }

        if (left.Count == 0)
        {
            throw new InputException("the input holds nothing but the files that this run writes.");
        }

        return left.Count == input.Files.Count
            ? input
            : input with { Files = left, Notes = [.. input.Notes, "left out the files that this run writes"] };
    }

    private static ToolException Both(string input, string output) => new(
        Path.GetFullPath(input) == Path.GetFullPath(output)
            ? $"'{input}' is given as input and as output; write to another file."
            : $"'{output}' leads to '{input}', which is input; write to another file.",
        ExitCode.Usage);

    private static Dictionary<string, string> ByIdentity(IEnumerable<string?> outputs) =>
        Of(outputs).GroupBy(static one => one.Identity).ToDictionary(static one => one.Key, static one => one.First().Name);

    private static IEnumerable<(string Name, string Identity)> Of(IEnumerable<string?> outputs) =>
        outputs.OfType<string>().Select(static name => (name, FileKind.IdentityOf(name)));
}
