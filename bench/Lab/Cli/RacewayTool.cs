using System.CommandLine;
using System.CommandLine.Help;
using System.CommandLine.Parsing;
using Raceway.Lab.Cli.Journals;
using Raceway.Suites.MainJob;

namespace Raceway.Lab.Cli;

/// <summary>The command line: parses it, runs the command, turns errors into messages and exit codes.</summary>
internal static class RacewayTool
{
    /// <summary>Runs the tool.</summary>
    /// <param name="args">The command line.</param>
    /// <param name="console">Where to write.</param>
    /// <param name="settings">How long to measure.</param>
    /// <param name="cancellation">Interrupts it; what was measured is kept.</param>
    /// <returns>The exit code.</returns>
    public static int Invoke(
        IReadOnlyList<string> args,
        ToolConsole console,
        ToolSettings? settings = null,
        CancellationToken cancellation = default)
    {
        ParseResult parsed;
        try
        {
            parsed = Parse(args, console, settings ?? new ToolSettings());
        }
        catch (InvalidOperationException error)
        {
            // A validator that asks for a value which is none throws what the parser itself would have said.
            console.Error.WriteLine($"raceway: {error.Message}");
            console.Error.WriteLine("Run 'raceway --help' for the commands, and each with --help for its options.");
            return ExitCode.Usage;
        }

        bool asksForHelp = parsed.Action is HelpWithExamples;
        if (parsed.Errors.Count > 0 && !asksForHelp)
        {
            return ReportUsage(parsed, console);
        }

        var configuration = new InvocationConfiguration
        {
            Output = console.Out,
            Error = console.Error,
            EnableDefaultExceptionHandler = false,
            ProcessTerminationTimeout = null, // signals are the program's own business
        };
        try
        {
            int code = parsed.InvokeAsync(configuration, cancellation).GetAwaiter().GetResult();
            if (code != ExitCode.Done || console.Results?.Fault is not { } fault) return code;
            console.Error.WriteLine($"raceway: the results cannot be written to the standard output: {fault.TrimEnd('.')}.");
            return ExitCode.Failed;
        }
        catch (Exception error)
        {
            return Report(error, console, cancellation);
        }
    }

    /// <summary>What is wrong with a command line, without running it; nothing where it can be run.</summary>
    public static IReadOnlyList<string> ErrorsOf(IReadOnlyList<string> args)
    {
        ParseResult parsed = Parse(args, new ToolConsole(TextWriter.Null, TextWriter.Null), new ToolSettings());
        return parsed.Action is HelpWithExamples ? [] : [.. parsed.Errors.Select(static error => error.Message)];
    }

    // A path may begin with '@': nothing is read as a response file.
    private static ParseResult Parse(IReadOnlyList<string> args, ToolConsole console, ToolSettings settings) =>
        CreateRoot(console, settings).Parse(args, new ParserConfiguration { ResponseFileTokenReplacer = null });

    private static RootCommand CreateRoot(ToolConsole console, ToolSettings settings)
    {
        var root = new RootCommand(
            "Measures staged pipelines on real input: per message and in mini-batches, beside Channels and other peers.")
        {
            new RunCommand(console, settings),
            new CompareCommand(console, settings),
            new SharingCommand(console, settings),
            new TuneCommand(console, settings),
            new TuneHostCommand(console),
            new ReportCommand(console),
            new DoctorCommand(console),
            new WatchCommand(console),
            new LayoutCommand(console, settings),
            new JournalCommand(console),
        };
        root.Directives.Clear();
        HelpOption help = root.Options.OfType<HelpOption>().Single();
        help.Action = new HelpWithExamples((HelpAction)help.Action!);
        return root;
    }

    private static int ReportUsage(ParseResult parsed, ToolConsole console)
    {
        Command asked = parsed.CommandResult.Command;
        IEnumerable<string> messages = asked.Subcommands.Count > 0
            ? [NoSubcommand(parsed, asked)]
            : parsed.Errors.Select(static error => error.Message).Distinct();
        foreach (string message in messages) console.Error.WriteLine($"raceway: {message}");

        string command = "";
        for (SymbolResult? one = parsed.CommandResult; one is CommandResult { Parent: not null } named; one = named.Parent)
            command = $" {named.Command.Name}{command}";
        command = $"raceway{command}";
        console.Error.WriteLine($"Run '{command} --help' for the options and examples.");
        return ExitCode.Usage;
    }

    // The parser says that a command is required before it says what it did not understand, and never which there are.
    private static string NoSubcommand(ParseResult parsed, Command asked)
    {
        string commands = string.Join(", ", asked.Subcommands.Where(static one => !one.Hidden).Select(static one => one.Name));
        return parsed.UnmatchedTokens is [string first, ..]
            ? $"there is no command '{first}'. The commands: {commands}."
            : $"a command is missing. The commands: {commands}.";
    }

    private static int Report(Exception error, ToolConsole console, CancellationToken cancellation)
    {
        switch (error)
        {
            case OperationCanceledException when cancellation.IsCancellationRequested:
                console.Error.WriteLine("raceway: interrupted.");
                return ExitCode.Interrupted;
            case ToolException known:
                console.Error.WriteLine($"raceway: {known.Message}");
                return known.ExitCode;
            case InputException input:
                console.Error.WriteLine($"raceway: {input.Message}");
                return ExitCode.Usage;
            default:
                // An error that was not foreseen: a report of it needs all of its text.
                console.Error.WriteLine($"raceway: failed unexpectedly: {error}");
                return ExitCode.Failed;
        }
    }
}
