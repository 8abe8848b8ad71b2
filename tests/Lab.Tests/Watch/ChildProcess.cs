using System.Diagnostics;
using System.Text;
using Raceway.Lab.Cli;

namespace Raceway.Lab.Tests.Watch;

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
        var start = new ProcessStartInfo(Environment.ProcessPath is { } path && Path.GetFileNameWithoutExtension(path) == "dotnet" ? path : "dotnet")
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        start.ArgumentList.Add(typeof(RacewayTool).Assembly.Location);
        foreach (string arg in args) start.ArgumentList.Add(arg);
        Process process = Process.Start(start)!;
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

    /// <summary>Ends it at once.</summary>
    public void Kill() => _process.Kill();

    public void Dispose()
    {
        _process.Kill();
        _process.WaitForExit();
        _process.Dispose();
    }
}
