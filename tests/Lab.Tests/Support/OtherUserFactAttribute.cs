using System.ComponentModel;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using Raceway.Lab.Cli;

namespace Raceway.Lab.Tests.Support;

/// <summary>A test that runs the tool as another user: by root alone, and where that user can read it; else skipped.</summary>
internal sealed class OtherUserFactAttribute : FactAttribute
{
    public OtherUserFactAttribute([CallerFilePath] string? file = null, [CallerLineNumber] int line = -1)
        : base(file, line) => Skip = WhyNot;

    /// <summary>The program that runs another one as a user who is nobody.</summary>
    public static IReadOnlyList<string> By { get; } = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];

    // Behind By, which it needs: they are made in this order.
    private static string? WhyNot { get; } = Missing();

    private static string? Missing()
    {
        if (!OperatingSystem.IsLinux() || !Environment.IsPrivilegedProcess)
            return "not run: only root on Linux runs a program as another user";
        try
        {
            if (!Succeeds("test", "-r", typeof(RacewayTool).Assembly.Location)) return "not run: another user cannot read what was built";
            return Succeeds("sh", "-c", "exec \"$0\" --list-runtimes > /dev/null 2>&1", DotnetHost.Program)
                ? null
                : $"not run: another user cannot run {DotnetHost.Program}";
        }
        catch (Win32Exception)
        {
            return $"not run: it needs {By[0]}";
        }
    }

    private static bool Succeeds(params string[] line)
    {
        using Process look = Process.Start(By[0], [.. By.Skip(1), .. line])!;
        look.WaitForExit();
        return look.ExitCode == 0;
    }
}
