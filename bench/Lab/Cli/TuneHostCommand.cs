using System.CommandLine;
using System.Runtime.InteropServices;
using System.Diagnostics;
using Raceway.Scenarios.Tuning;

namespace Raceway.Lab.Cli;

/// <summary>What <c>raceway tune --assembly</c> starts: the process in which the user's code runs. Not for people.</summary>
internal sealed class TuneHostCommand : ToolCommand
{
    private const string Word = "tune-host";
    private readonly Option<string> _assembly = new("--assembly") { Required = true };
    private readonly Option<string?> _type = new("--type");

    /// <summary>Creates the command.</summary>
    public TuneHostCommand(ToolConsole console)
        : base(Word, "Runs trials for raceway tune, as it asks for them.", console)
    {
        Hidden = true;
        Add(_assembly);
        Add(_type);
    }

    /// <inheritdoc/>
    public override IReadOnlyList<(string CommandLine, string Does)> Examples => [];

    /// <summary>How to start it: the tool itself, once more.</summary>
    public static ProcessStartInfo Start(string assembly, string? type)
    {
        string tool = typeof(TuneHostCommand).Assembly.Location;
        string? own = Environment.ProcessPath;
        bool isHost = Path.GetFileNameWithoutExtension(own) == "raceway";
        var start = new ProcessStartInfo(isHost ? own! : DotnetPath(own));
        if (!isHost) start.ArgumentList.Add(tool);
        foreach (string word in (string[])[Word, "--assembly", Path.GetFullPath(assembly), .. type is null ? [] : (string[])["--type", type]])
            start.ArgumentList.Add(word);
        return start;
    }

    /// <inheritdoc/>
    protected override int Execute(ParseResult options, CancellationToken cancellation)
    {
        // What the user's code prints must not come between the answers.
        TextWriter answers = System.Console.Out;
        System.Console.SetOut(System.Console.Error);
        // Ctrl-C goes to all processes of a terminal; this one ends with the other.
        using PosixSignalRegistration ignored = PosixSignalRegistration.Create(PosixSignal.SIGINT, static context => context.Cancel = true);
        TrialServer.Run(
            System.Console.In, answers, () => TrialAssembly.Load(options.GetRequiredValue(_assembly), options.GetValue(_type)),
            static () => Environment.Exit(ExitCode.Done));
        return ExitCode.Done;
    }

    // The host that runs this process, or the one whose runtime it is.
    private static string DotnetPath(string? own) => Path.GetFileNameWithoutExtension(own) == "dotnet"
        ? own!
        : Path.GetFullPath(Path.Combine(
            RuntimeEnvironment.GetRuntimeDirectory(), "..", "..", "..", OperatingSystem.IsWindows() ? "dotnet.exe" : "dotnet"));
}
