using System.CommandLine;
using System.Diagnostics;
using System.IO.Pipes;
using System.Runtime.InteropServices;
using Raceway.Analysis.Tuning;

namespace Raceway.Lab.Cli;

/// <summary>What <c>raceway tune --assembly</c> starts: the process in which the user's code runs. Not for people.</summary>
internal sealed class TuneHostCommand : ToolCommand
{
    private const string Word = "tune-host";
    private readonly Option<string> _assembly = new("--assembly") { Required = true };
    private readonly Option<string?> _type = new("--type");
    private readonly Option<string> _requests = new("--requests") { Required = true };
    private readonly Option<string> _answers = new("--answers") { Required = true };

    /// <summary>Creates the command.</summary>
    public TuneHostCommand(ToolConsole console)
        : base(Word, "Runs trials for raceway tune, as it asks for them.", console)
    {
        Hidden = true;
        Add(_assembly);
        Add(_type);
        Add(_requests);
        Add(_answers);
    }

    /// <inheritdoc/>
    public override IReadOnlyList<(string CommandLine, string Does)> Examples => [];

    /// <summary>How to start it: the tool itself, once more.</summary>
    /// <param name="assembly">What to try.</param>
    /// <param name="type">Which of it.</param>
    /// <param name="requests">The handle of the pipe that requests come from.</param>
    /// <param name="answers">The handle of the pipe that answers go to.</param>
    public static ProcessStartInfo Start(string assembly, string? type, string requests, string answers)
    {
        string tool = typeof(TuneHostCommand).Assembly.Location;
        string? own = Environment.ProcessPath;
        bool isHost = Path.GetFileNameWithoutExtension(own) == "raceway";
        var start = new ProcessStartInfo(isHost ? own! : DotnetPath(own));
        if (!isHost) start.ArgumentList.Add(tool);
        foreach (string word in (string[])
            [Word, "--assembly", Path.GetFullPath(assembly), "--requests", requests, "--answers", answers, .. type is null ? [] : (string[])["--type", type]])
            start.ArgumentList.Add(word);
        return start;
    }

    /// <inheritdoc/>
    protected override int Execute(ParseResult options, CommandRun run)
    {
        using var requests = new StreamReader(new AnonymousPipeClientStream(PipeDirection.In, options.GetRequiredValue(_requests)));
        using var answers = new StreamWriter(new AnonymousPipeClientStream(PipeDirection.Out, options.GetRequiredValue(_answers)));
        // Ctrl-C goes to all processes of a terminal; this one ends with the other.
        using PosixSignalRegistration ignored = PosixSignalRegistration.Create(PosixSignal.SIGINT, static context => context.Cancel = true);
        TrialServer.Run(
            requests, answers, () => TrialAssembly.Load(options.GetRequiredValue(_assembly), options.GetValue(_type)),
            static () => Environment.Exit(ExitCode.Done));
        return ExitCode.Done;
    }

    // The host that runs this process, or the host of its runtime.
    private static string DotnetPath(string? own) => Path.GetFileNameWithoutExtension(own) == "dotnet"
        ? own!
        : Path.GetFullPath(Path.Combine(
            RuntimeEnvironment.GetRuntimeDirectory(), "..", "..", "..", OperatingSystem.IsWindows() ? "dotnet.exe" : "dotnet"));
}
