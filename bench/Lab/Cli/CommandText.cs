using System.CommandLine;
using System.CommandLine.Parsing;

namespace Raceway.Lab.Cli;

/// <summary>The command line that measures the same again.</summary>
internal static class CommandText
{
    /// <summary>
    /// The command with the options that it was given, quoted for a shell. The files that it wrote are left out: other readers have
    /// other paths.
    /// </summary>
    public static string Of(ParseResult parsed)
    {
        Command command = parsed.CommandResult.Command;
        IEnumerable<string> options = command.Options
            .Where(static option => option is not OutputOption)
            .Select(parsed.GetResult)
            .OfType<OptionResult>()
            .Where(static result => !result.Implicit)
            .SelectMany(static result => result.Tokens.Select(static token => token.Value).Prepend(result.Option.Name));
        return string.Join(' ', options.Prepend(command.Name).Prepend("raceway").Select(Quoted));
    }

    private static string Quoted(string word) =>
        word.Length > 0 && word.All(static c => char.IsAsciiLetterOrDigit(c) || "-_./:=,+@%\\".Contains(c, StringComparison.Ordinal))
            ? word
            : $"'{word.Replace("'", "'\\''", StringComparison.Ordinal)}'";
}
