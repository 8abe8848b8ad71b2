using System.Text.Json;
using Raceway.Lab.Reporting;
using Raceway.Measuring;
using Raceway.Suites.MainJob;

namespace Raceway.Lab.Cli;

/// <summary>The aims that <c>--check</c> names, with what is wrong about them said before anything is measured.</summary>
internal static class AimsInput
{
    /// <summary>The aims of a suite.</summary>
    /// <exception cref="ToolException">The file cannot be read, or is about what is not there.</exception>
    public static IReadOnlyList<Aim> Read(string file, string suite)
    {
        AimsFile aims;
        try
        {
            FileKind.RefuseSpecial(file);
            aims = AimsFile.Load(file);
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException or ArgumentException or JsonException)
        {
            throw Wrong(file, error.Message);
        }

        if (aims.Suites.FirstOrDefault(static name => CasesOf(name) is null) is { } odd)
            throw Wrong(file, $"it has aims for a suite '{odd}', which is none of {string.Join(", ", [.. SuiteList.All.Keys, .. MainJobRows.Suites])}");
        IReadOnlyList<Aim> all = aims.Of(suite);
        if (all.Count == 0) throw Wrong(file, $"it has no aims for suite '{suite}', only for {string.Join(", ", aims.Suites)}");
        HashSet<string> cases = [.. CasesOf(suite)!];
        foreach (Aim aim in all)
        {
            if (new[] { aim.Case, aim.PeerCase }.OfType<string>().FirstOrDefault(name => !cases.Contains(name)) is { } missing)
                throw Wrong(file, $"aim '{aim.Number}' is about a case '{missing}' that suite '{suite}' does not have");
        }

        return all;
    }

    private static IEnumerable<string>? CasesOf(string suite) =>
        SuiteList.All.TryGetValue(suite, out Suite? known) ? known.Cases.Select(static one => one.Name)
        : MainJobRows.Suites.Contains(suite) ? MainJobRunner.Cases
        : null;

    private static ToolException Wrong(string file, string why) =>
        new($"--check takes a file of aims, as bench/aims.json is: '{file}': {why.TrimEnd('.')}.", ExitCode.Usage);
}
