using System.CommandLine;

namespace Raceway.Lab.Cli;

/// <summary>A command whose help ends with examples.</summary>
internal abstract class ToolCommand : Command
{
    protected ToolCommand(string name, string description, ToolConsole console)
        : base(name, description)
    {
        Console = console;
        SetAction((result, cancellation) => Task.FromResult(Execute(result, cancellation)));
    }

    /// <summary>Command lines with what they do.</summary>
    public abstract IReadOnlyList<(string CommandLine, string Does)> Examples { get; }

    /// <summary>Where the command writes.</summary>
    protected ToolConsole Console { get; }

    /// <summary>Runs the command.</summary>
    /// <returns>The exit code.</returns>
    protected abstract int Execute(ParseResult options, CancellationToken cancellation);
}
