namespace Raceway.Logging.Tests.Support;

/// <summary>A folder that is removed with the test.</summary>
internal sealed class TempFolder : IDisposable
{
    public string Path { get; } = Directory.CreateTempSubdirectory("raceway-logging-").FullName;

    /// <summary>A file of it.</summary>
    public string File(string name = "app.log") => System.IO.Path.Combine(Path, name);

    /// <summary>The lines of a file of it.</summary>
    public string[] Lines(string name = "app.log") => System.IO.File.ReadAllLines(File(name));

    /// <summary>The names of its files, in order.</summary>
    public string[] Names() => [.. Directory.GetFiles(Path).Select(static path => System.IO.Path.GetFileName(path)).Order(StringComparer.Ordinal)];

    public void Dispose()
    {
        if (Directory.Exists(Path)) Directory.Delete(Path, recursive: true);
    }
}
