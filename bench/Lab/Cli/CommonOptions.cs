using System.CommandLine;
using System.Globalization;
using System.Numerics;

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

    /// <summary>An option that takes a number, written with a point and without separators.</summary>
    /// <param name="name">The option.</param>
    /// <param name="takes">The numbers that it takes, for the error about any other.</param>
    /// <param name="isTaken">Whether it is one of these.</param>
    /// <param name="description">For the help.</param>
    public static Option<T?> Number<T>(string name, string takes, Func<T, bool> isTaken, string description)
        where T : struct, INumberBase<T> => new(name)
    {
        Description = description,
        HelpName = "N",
        CustomParser = result =>
        {
            string text = result.Tokens[0].Value;
            if (T.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out T number) && isTaken(number)) return number;
            result.AddError($"{name} takes {takes}, but got '{text}'.");
            return null;
        },
    };

    /// <summary>Aims to check.</summary>
    public static Option<string?> Check(string what) => File(
        "--check", $"Also check the aims of FILE (JSON) for {what}, and exit with 1 where one is not met. The project's own are bench/aims.json.");

    /// <summary>An option that takes the name of a file to write.</summary>
    public static Option<string?> File(string name, string description) => new OutputOption(name, description);
}
