namespace Raceway.Journal.Tests.Support;

/// <summary>A folder that is removed with the test.</summary>
internal sealed class TempFolder : IDisposable
{
    public string Path { get; } = Directory.CreateTempSubdirectory("raceway-journal-").FullName;

    public void Dispose() => Directory.Delete(Path, recursive: true);
}
