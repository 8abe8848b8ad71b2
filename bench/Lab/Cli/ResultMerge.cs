using Raceway.Measuring;

namespace Raceway.Lab.Cli;

/// <summary>Several result files as one.</summary>
internal static class ResultMerge
{
    /// <summary>The rows, curves, timelines and layouts of all; cases go by <c>FILE: CASE</c> where there are several files.</summary>
    /// <exception cref="ToolException">They are of different machines: their figures do not belong into one file.</exception>
    public static ResultFile Of(IReadOnlyList<(string Name, ResultFile Result)> files)
    {
        (string firstName, ResultFile first) = files[0];
        if (files.Count == 1)
        {
            return first;
        }

        foreach ((string name, ResultFile result) in files)
        {
            if (result.Machine.WithoutTimes() != first.Machine.WithoutTimes())
            {
                throw new ToolException(
                    $"--json takes files of one machine, but '{name}' is of another one than '{firstName}'; leave one out, "
                    + "or make a page of both with --html.",
                    ExitCode.Usage);
            }
        }

        return first with
        {
            Suite = All(files, static file => file.Suite),
            Version = All(files, static file => file.Version),
            Commit = All(files, static file => file.Commit) is { Length: > 0 } commits ? commits : null,
            Options = files
                .SelectMany(static file => file.Result.Options.Select(one => (Key: $"{file.Name}: {one.Key}", one.Value)))
                .GroupBy(static one => one.Key).ToDictionary(static one => one.Key, static one => one.Last().Value),
            Rows = [.. files.SelectMany(static file =>
                file.Result.Rows.Select(row => row with { Case = $"{file.Name}: {row.Case}" }))],
            Curves = [.. files.SelectMany(static file =>
                (file.Result.Curves ?? []).Select(curve => curve with { Case = $"{file.Name}: {curve.Case}" }))],
            Timelines = [.. files.SelectMany(static file =>
                (file.Result.Timelines ?? []).Select(one => one with { Case = $"{file.Name}: {one.Case}" }))],
            Layouts = [.. files.SelectMany(static file => file.Result.Layouts ?? [])],
        };
    }

    private static string All(IReadOnlyList<(string Name, ResultFile Result)> files, Func<ResultFile, string?> value) =>
        string.Join(" + ", files.Select(file => value(file.Result)).Where(static one => one is not null).Distinct());
}
