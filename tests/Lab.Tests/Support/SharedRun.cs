using Raceway.Measuring;

namespace Raceway.Lab.Tests.Support;

/// <summary>What commands that measure wrote, measured once for all tests that look at it.</summary>
/// <param name="Command">How it ended, and what it printed.</param>
/// <param name="Json">The file that <c>--json</c> asked for.</param>
/// <param name="Html">That of <c>--html</c>.</param>
internal sealed record SharedRun(CommandLine Command, string Json, string Html)
{
    private static readonly Lazy<SharedRun> s_compare = new(static () =>
        Of("compare", "--suite", "ring", "--quick", "--case", "1p-1c", "one-way-1e5", "one-way-1e6", "--check", Aims));

    private static readonly Lazy<SharedRun> s_sharing = new(static () =>
        Of("sharing", "--case", "counters/locked", "cells", "padding/publish"));

    /// <summary><c>compare</c> of three cases of the ring suite: throughput, and latency at two loads.</summary>
    public static SharedRun Compare => s_compare.Value;

    /// <summary><c>sharing</c> with three of its cases.</summary>
    public static SharedRun Sharing => s_sharing.Value;

    /// <summary>The figures.</summary>
    public ResultFile Result => ResultFile.Parse(Json);

    // One that any machine meets, one of what is not there, and one of a case that is not run.
    private static string Aims
    {
        get
        {
            string file = Path.Combine(Path.GetTempPath(), $"raceway-aims-{Guid.NewGuid():N}.json");
            File.WriteAllText(file, """
                { "ring": [
                    { "number": "mine", "text": "any speed", "case": "1p-1c", "ours": "raceway/default", "bound": 1 },
                    { "number": "absent", "text": "a peer that is not there", "case": "1p-1c", "ours": "raceway/default", "peers": ["nobody/*"], "bound": 1 },
                    { "number": "other", "text": "another case", "case": "mp-1p", "ours": "raceway/default", "bound": 1 }
                ] }
                """);
            return file;
        }
    }

    private static SharedRun Of(params string[] args)
    {
        using var folder = new TempFolder();
        string json = folder.File("out.json"), html = folder.File("out.html");
        CommandLine command = CommandLine.Run([.. args, "--json", json, "--html", html]);
        Assert.True(command.ExitCode == 0, command.Error);
        return new SharedRun(command, File.ReadAllText(json), File.ReadAllText(html));
    }
}
