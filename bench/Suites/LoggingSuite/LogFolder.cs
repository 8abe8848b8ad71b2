namespace Raceway.Suites.LoggingSuite;

/// <summary>A file for one round, in a folder for temporary files.</summary>
internal sealed class LogFolder
{
    private string? _folder;

    /// <summary>The file of the round.</summary>
    public string File => Path.Combine(_folder!, "app.log");

    /// <summary>One that is not there yet.</summary>
    public string NewFile()
    {
        Delete();
        _folder = Directory.CreateTempSubdirectory("raceway-log-").FullName;
        return File;
    }

    /// <summary>Removes it.</summary>
    public void Delete()
    {
        if (_folder is null) return;
        Directory.Delete(_folder, recursive: true);
        _folder = null;
    }
}
