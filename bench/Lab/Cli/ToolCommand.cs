using System.CommandLine;
using Raceway.Measuring;

namespace Raceway.Lab.Cli;

/// <summary>A command with examples at the end of its help.</summary>
internal abstract class ToolCommand : Command
{
    protected ToolCommand(string name, string description, ToolConsole console)
        : base(name, description)
    {
        Console = console;
        SetAction((result, cancellation) =>
        {
            var run = new CommandRun(TimeProvider.System, cancellation);
            return Task.FromResult(run.Execute(() => Execute(result, run)));
        });
    }

    /// <summary>Command lines with what they do.</summary>
    public abstract IReadOnlyList<(string CommandLine, string Does)> Examples { get; }

    /// <summary>Where the command writes.</summary>
    protected ToolConsole Console { get; }

    /// <summary>What was measured, with all that it takes to measure it again.</summary>
    protected static ResultFile Result(
        ParseResult options,
        string suite,
        MachineCard machine,
        IReadOnlyList<ResultRow> rows,
        params IEnumerable<(string Name, string Value)> described) => new()
    {
        Version = ToolVersion.Number,
        Commit = ToolVersion.Commit,
        Measured = DateTimeOffset.FromUnixTimeSeconds(DateTimeOffset.UtcNow.ToUnixTimeSeconds()),
        Machine = machine,
        Suite = suite,
        Options = described
            .Append((ResultOptions.Command, CommandText.Of(options)))
            .Append((ResultOptions.PeerPackages, ToolVersion.HasPeerPackages ? ResultOptions.Yes : ResultOptions.No))
            .ToDictionary(static one => one.Item1, static one => one.Item2),
        Rows = rows,
    };

    /// <summary>Does the work of the command.</summary>
    /// <returns>The exit code.</returns>
    protected abstract int Execute(ParseResult options, CommandRun run);
}
