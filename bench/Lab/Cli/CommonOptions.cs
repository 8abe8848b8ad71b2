using System.CommandLine;

namespace Raceway.Lab.Cli;

/// <summary>Options that several commands have.</summary>
internal static class CommonOptions
{
    /// <summary><c>--quick</c></summary>
    public static Option<bool> Quick(string description) => new("--quick") { Description = description };

    /// <summary><c>--json FILE</c></summary>
    public static Option<string?> Json() => File("--json", "Write the figures to FILE as JSON.");

    /// <summary><c>--html FILE</c></summary>
    public static Option<string?> Html() => File("--html", "Write the report to FILE as a page that needs nothing else.");

    /// <summary>An option that takes the name of a file to write.</summary>
    public static Option<string?> File(string name, string description) => new OutputOption(name, description);
}
