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

    /// <summary>An option that takes a time, see <see cref="TimeText"/>.</summary>
    public static Option<TimeSpan?> Time(string name, TimeSpan least, TimeSpan most, string description) => new(name)
    {
        Description = description,
        HelpName = "TIME",
        CustomParser = result =>
        {
            string text = result.Tokens[0].Value;
            if (TimeText.TryParse(text, out TimeSpan time) && time >= least && time <= most) return time;
            result.AddError(
                $"{name} takes a time from {TimeText.Of(least)} to {TimeText.Of(most)}, such as 10s, 500ms or 2m, but got '{text}'.");
            return null;
        },
    };

    /// <summary>An option that takes the name of a file to write.</summary>
    public static Option<string?> File(string name, string description) => new OutputOption(name, description);
}
