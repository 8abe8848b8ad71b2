using System.ComponentModel;
using System.Diagnostics;
using Raceway.Lab.Cli;

namespace Raceway.Lab.Tests.Watch;

/// <summary>A test that runs the tool as another user: by root alone, and where that user can read it; else skipped.</summary>
internal sealed class OtherUserFactAttribute : FactAttribute
{
    public OtherUserFactAttribute() => Skip = WhyNot;

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
            using Process look = Process.Start(By[0], [.. By.Skip(1), "test", "-r", typeof(RacewayTool).Assembly.Location])!;
            look.WaitForExit();
            return look.ExitCode == 0 ? null : "not run: another user cannot read what was built";
        }
        catch (Win32Exception)
        {
            return $"not run: it needs {By[0]}";
        }
    }
}
