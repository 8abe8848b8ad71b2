using System.Diagnostics;
using System.Text;
using Raceway.Lab.Cli;

namespace Raceway.Lab.Tests.Support;

/// <summary>The tool in a process of its own, for as long as a test needs it.</summary>
internal sealed class ChildProcess : IDisposable
{
    private readonly Process _process;

    private readonly TaskCompletionSource _firstLine = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly StringBuilder _errors = new();

    private ChildProcess(Process process) => _process = process;

    public int Id => _process.Id;

    /// <summary>Starts it, and returns when it has written its first line.</summary>
    public static ChildProcess Start(params string[] args)
    {
        Process process = Process.Start(Command(args))!;
        var child = new ChildProcess(process);
        process.OutputDataReceived += (_, line) =>
        {
            if (line.Data is not null) child._firstLine.TrySetResult();
        };
        process.ErrorDataReceived += (_, line) => child._errors.AppendLine(line.Data);
        process.BeginOutputReadLine();
        process.BeginErrorReadLine();
        Assert.True(child._firstLine.Task.Wait(TimeSpan.FromMinutes(1)), $"The child says nothing. {child._errors}");
        return child;
    }

    /// <summary>Runs it to its end, by way of another program where <paramref name="by"/> names one.</summary>
    public static CommandLine RunToEnd(IReadOnlyList<string> by, params string[] args)
    {
        using Process process = Process.Start(Command(args, by))!;
        Task<string> error = process.StandardError.ReadToEndAsync();
        string output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        return new CommandLine(process.ExitCode, output, error.Result);
    }

    /// <summary>Runs it to its end with its streams as a shell redirects them, as in <c>&gt;/dev/full</c>.</summary>
    public static CommandLine RunRedirected(string redirections, params string[] args) =>
        RunToEnd(["sh", "-c", $"\"$0\" \"$@\" {redirections}"], args);

    /// <summary>Ends it at once.</summary>
    public void Kill() => _process.Kill();

    public void Dispose()
    {
        _process.Kill();
        _process.WaitForExit();
        _process.Dispose();
    }

    private static ProcessStartInfo Command(IEnumerable<string> args, IReadOnlyList<string>? by = null)
    {
        string[] line = [.. by ?? [], DotnetHost.Program, typeof(RacewayTool).Assembly.Location, .. args];
        return new ProcessStartInfo(line[0], line[1..]) { RedirectStandardOutput = true, RedirectStandardError = true };
    }
}
