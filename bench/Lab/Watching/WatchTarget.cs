using System.Diagnostics;
using Microsoft.Diagnostics.NETCore.Client;
using Raceway.Lab.Cli;

namespace Raceway.Lab.Watching;

/// <summary>A process that can be watched.</summary>
/// <param name="Id">Its number.</param>
/// <param name="Name">Its name.</param>
/// <param name="CommandLine">How it was started, where the system says.</param>
/// <param name="HasPipelines">True where it has the library loaded; null where that cannot be seen.</param>
internal sealed record WatchTarget(int Id, string Name, string CommandLine, bool? HasPipelines)
{
    private const string Library = "Raceway.Pipelines.dll";

    /// <summary>The processes of this user with a diagnostics port, those with pipelines first. Not this one.</summary>
    public static IReadOnlyList<WatchTarget> All() =>
    [
        .. Published().Where(static id => id != Environment.ProcessId && !IsOfAnother(id)).Select(Find).OfType<WatchTarget>()
            .OrderByDescending(static target => target.HasPipelines ?? false).ThenBy(static target => target.Id),
    ];

    /// <summary>The process of that number.</summary>
    /// <exception cref="ToolException">There is none, or it cannot be watched.</exception>
    public static WatchTarget Of(int id)
    {
        if (id == Environment.ProcessId)
        {
            throw new ToolException(
                $"Process {id} is this one. Watch what runs in it with 'raceway watch --run'.", ExitCode.Usage);
        }

        if (!Exists(id))
        {
            throw new ToolException(
                $"There is no process {id}. Run 'raceway watch' for those that can be watched.", ExitCode.Usage);
        }

        bool isOfAnother = IsOfAnother(id);
        if (!isOfAnother && Published().Contains(id) && Find(id) is { } target) return target;
        string why = isOfAnother
            ? "it belongs to another user, and only that user may watch it."
            : "it is no .NET process, or its diagnostics are off (DOTNET_EnableDiagnostics=0), or it has another TMPDIR.";
        throw new ToolException($"Process {id} cannot be watched: {why} Run 'raceway watch' for those that can.", ExitCode.Usage);
    }

    /// <summary>The one process of that name.</summary>
    /// <exception cref="ToolException">There is none, or there are several.</exception>
    public static WatchTarget Of(string name)
    {
        IReadOnlyList<WatchTarget> all = All();
        WatchTarget[] named = [.. all.Where(target => target.Name == name)];
        // 'dotnet app.dll' is known by its program.
        if (named.Length == 0) named = [.. all.Where(target => Words(target.CommandLine).Contains(name))];
        return named switch
        {
            [var one] => one,
            [] => throw new ToolException(
                $"No process '{name}' can be watched. Run 'raceway watch' for those that can.", ExitCode.Usage),
            _ => throw new ToolException(
                $"Several processes are '{name}': {string.Join(", ", named.Select(static target => target.Id))}. "
                    + "Choose one with --pid.",
                ExitCode.Usage),
        };
    }

    /// <summary>Whether it has ended, or does so within <paramref name="time"/>.</summary>
    public bool EndsWithin(TimeSpan time)
    {
        for (long end = Environment.TickCount64 + (long)time.TotalMilliseconds; Exists(Id); Thread.Sleep(10))
        {
            if (Environment.TickCount64 > end) return false;
        }

        return true;
    }

    /// <inheritdoc/>
    public override string ToString() => $"{Name} ({Id})";

    // The client of that library looks at the environment of every process, and gives up where one has none to show: those
    // of the kernel, for root. The ports are files with the number in their name.
    private static IEnumerable<int> Published()
    {
        try
        {
            return DiagnosticsClient.GetPublishedProcesses();
        }
        catch (IOException)
        {
            return Directory.GetFiles(Path.GetTempPath(), "dotnet-diagnostic-*-socket")
                .Select(static file => int.TryParse(Path.GetFileName(file).Split('-')[2], out int id) ? id : 0)
                .Where(Exists).Distinct();
        }
    }

    private static IEnumerable<string?> Words(string commandLine) =>
        commandLine.Split(' ', StringSplitOptions.RemoveEmptyEntries).Take(2).Select(Path.GetFileNameWithoutExtension);

    private static WatchTarget? Find(int id)
    {
        try
        {
            using Process process = Process.GetProcessById(id);
            return new WatchTarget(id, process.ProcessName, CommandLineOf(id), HasLibrary(process));
        }
        catch (Exception e) when (e is ArgumentException or InvalidOperationException)
        {
            return null; // It has ended meanwhile.
        }
    }

    private static bool Exists(int id)
    {
        try
        {
            using Process process = Process.GetProcessById(id);
            // A process that has ended is still listed until its parent has asked for its exit code.
            return !process.HasExited && Status(id, "State:")?.Contains('Z', StringComparison.Ordinal) != true;
        }
        catch (Exception e) when (e is ArgumentException or InvalidOperationException)
        {
            return false;
        }
        catch (System.ComponentModel.Win32Exception)
        {
            return true; // It is there, and another user's.
        }
    }

    // Where an application is one file, the library is not among the files that are mapped: it is seen, or nothing is known. Modules
    // on Linux are only those files of which a part may be executed, and code that is compiled at run time has none.
    private static bool? HasLibrary(Process process)
    {
        try
        {
            return OperatingSystem.IsLinux()
                ? File.ReadLines($"/proc/{process.Id}/maps").Any(static line => line.EndsWith($"/{Library}", StringComparison.Ordinal)) ? true : null
                : process.Modules.Cast<ProcessModule>().Any(static module => module.ModuleName == Library) ? true : null;
        }
        catch (Exception e) when (e is System.ComponentModel.Win32Exception or InvalidOperationException or NotSupportedException
            or IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    private static string CommandLineOf(int id)
    {
        try
        {
            return OperatingSystem.IsLinux() ? File.ReadAllText($"/proc/{id}/cmdline").Replace('\0', ' ').Trim() : "";
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return "";
        }
    }

    // Ports of others lie in the same folder, and only open to their users and to root.
    private static bool IsOfAnother(int id) =>
        !Environment.IsPrivilegedProcess && UserOf(id) is { } user && UserOf(Environment.ProcessId) is { } own && user != own;

    private static string? UserOf(int id) => Status(id, "Uid:");

    // A line of what the system says of a process; null where it does not.
    private static string? Status(int id, string name)
    {
        try
        {
            return OperatingSystem.IsLinux()
                ? File.ReadLines($"/proc/{id}/status").FirstOrDefault(line => line.StartsWith(name, StringComparison.Ordinal))
                : null;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }
}
