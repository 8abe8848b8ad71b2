using System.Runtime.InteropServices;

namespace Raceway.Suites.MainJob;

/// <summary>The default input: the reference documentation that every .NET SDK brings along.</summary>
public static class ReferenceDocs
{
    private const string Pack = "Microsoft.NETCore.App.Ref";

    /// <summary>The <c>*.xml</c> of the newest reference pack, or what can stand in for it.</summary>
    /// <exception cref="InputException">This machine has neither the pack nor XML beside the tool.</exception>
    public static InputSet Find() => Find(Roots(), AppContext.BaseDirectory);

    /// <summary>As <see cref="Find()"/>, looking in the given places only.</summary>
    /// <param name="roots">Folders that may be the root of a .NET installation, best first.</param>
    /// <param name="beside">Where to look for XML when no root has the pack.</param>
    internal static InputSet Find(IEnumerable<string> roots, string beside)
    {
        foreach (string root in roots)
        {
            if (NewestIn(Path.Combine(root, "packs", Pack)) is { } folder)
            {
                return new InputSet(XmlIn(folder), $"reference documentation of the SDK, {folder}", []);
            }
        }

        List<string> own = XmlIn(beside);
        return own.Count > 0
            ? new InputSet(
                own, $"XML beside the tool, {beside}", [$"no SDK here ships {Pack}; reading the XML beside the tool instead"])
            : throw new InputException(
                $"no SDK here ships {Pack}, and no XML lies beside the tool; give files or folders with --input PATH...");
    }

    /// <summary>The <c>ref/net*</c> folder with XML in the highest version of the pack.</summary>
    private static string? NewestIn(string pack)
    {
        if (!Directory.Exists(pack))
        {
            return null;
        }

        return Directory.EnumerateDirectories(pack)
            .Select(static path => (Path: path, Version: VersionOf(Path.GetFileName(path))))
            .Where(static candidate => candidate.Version is not null)
            .OrderByDescending(static candidate => candidate.Version)
            .Select(static candidate => Path.Combine(candidate.Path, "ref"))
            .Where(Directory.Exists)
            .SelectMany(static reference => Directory.EnumerateDirectories(reference, "net*").OrderDescending())
            .FirstOrDefault(static folder => XmlIn(folder).Count > 0);
    }

    /// <summary>Reads <c>10.0.0-rc.1</c> as 10.0.0: a preview is good enough as input.</summary>
    private static Version? VersionOf(string name)
    {
        int suffix = name.IndexOf('-', StringComparison.Ordinal);
        return Version.TryParse(suffix < 0 ? name : name[..suffix], out Version? version) ? version : null;
    }

    private static List<string> XmlIn(string folder)
    {
        if (!Directory.Exists(folder))
        {
            return [];
        }

        List<string> files = [.. Directory.EnumerateFiles(folder, "*.xml")];
        files.Sort(string.CompareOrdinal);
        return files;
    }

    /// <summary>The installation that runs this process first, then the one the environment names, then PATH.</summary>
    private static IEnumerable<string> Roots()
    {
        // <root>/shared/Microsoft.NETCore.App/<version>/
        yield return Path.GetFullPath(Path.Combine(RuntimeEnvironment.GetRuntimeDirectory(), "..", "..", ".."));
        if (Environment.GetEnvironmentVariable("DOTNET_ROOT") is { Length: > 0 } named)
        {
            yield return named;
        }

        string executable = OperatingSystem.IsWindows() ? "dotnet.exe" : "dotnet";
        string[] path = (Environment.GetEnvironmentVariable("PATH") ?? "")
            .Split(Path.PathSeparator, StringSplitOptions.RemoveEmptyEntries);
        foreach (string folder in path)
        {
            var host = new FileInfo(Path.Combine(folder, executable));
            if (host.Exists)
            {
                yield return ((host.ResolveLinkTarget(returnFinalTarget: true) as FileInfo) ?? host).DirectoryName!;
            }
        }
    }
}
