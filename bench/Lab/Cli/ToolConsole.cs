namespace Raceway.Lab.Cli;

/// <summary>Where the tool writes: results to one stream, progress and errors to the other.</summary>
/// <param name="Out">Results.</param>
/// <param name="Error">Progress, notes and errors.</param>
/// <param name="IsOutRich">Results go to a terminal that takes colours and box drawing.</param>
/// <param name="IsErrorRich">Progress goes to a terminal, where a line can be written over.</param>
internal sealed record ToolConsole(
    TextWriter Out, TextWriter Error, bool IsOutRich = false, bool IsErrorRich = false)
{
    /// <summary>Columns of the terminal; absent where results go elsewhere, and lines may be of any length.</summary>
    public int? Width { get; init; }

    /// <summary>The stream that results go to; absent where that is no stream of the process.</summary>
    public OutputStream? Results { get; init; }

    /// <summary>The console of the process: plain where it is redirected, <c>NO_COLOR</c> is set or the terminal is dumb.</summary>
    public static ToolConsole OfProcess()
    {
        bool plain = Environment.GetEnvironmentVariable("NO_COLOR") is { Length: > 0 }
            || Environment.GetEnvironmentVariable("TERM") == "dumb";
        var results = new OutputStream(Console.Out, 1);
        // Set, so that what looks for the console's own stream still finds it.
        Console.SetOut(results);
        Console.SetError(new OutputStream(Console.Error, 2));
        return new ToolConsole(
            Console.Out, Console.Error, !plain && !Console.IsOutputRedirected, !plain && !Console.IsErrorRedirected)
        {
            Width = TerminalWidth(),
            Results = results,
        };
    }

    private static int? TerminalWidth()
    {
        try
        {
            return !Console.IsOutputRedirected && Console.WindowWidth is > 0 and var width ? width : null;
        }
        catch (IOException)
        {
            return null; // a terminal that does not tell
        }
    }
}
