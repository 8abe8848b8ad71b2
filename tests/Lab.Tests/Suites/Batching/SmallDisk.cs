using System.Diagnostics;

namespace Raceway.Lab.Tests.Suites.Batching;

/// <summary>A file system in memory of a few pages, which a test can fill. Root may mount one, on Linux.</summary>
internal sealed class SmallDisk : IDisposable
{
    /// <summary>Bytes of a page, of which it is made.</summary>
    public const int Page = 4_096;

    private readonly TempFolder _folder = new();
    private readonly bool _isMounted;

    public SmallDisk(int pages)
    {
        _isMounted = OperatingSystem.IsLinux() && Run("mount", "-t", "tmpfs", "-o", $"size={pages * Page}", "tmpfs", _folder.Path);
        if (_isMounted) return;
        _folder.Dispose();
        Assert.Skip("not run: a small file system cannot be mounted here, which takes root on Linux");
    }

    public string File(string name) => _folder.File(name);

    public void Dispose()
    {
        if (_isMounted && !Run("umount", "-l", _folder.Path)) return;
        _folder.Dispose();
    }

    private static bool Run(string command, params string[] arguments)
    {
        try
        {
            using Process process = Process.Start(new ProcessStartInfo(command, arguments) { RedirectStandardError = true })!;
            process.StandardError.ReadToEnd();
            process.WaitForExit();
            return process.ExitCode == 0;
        }
        catch (System.ComponentModel.Win32Exception)
        {
            return false;
        }
    }
}
