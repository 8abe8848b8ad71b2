namespace Raceway.Interop.Logging.Files;

/// <summary>The files that this process writes.</summary>
internal sealed class OpenPaths
{
    private readonly HashSet<string> _paths = new(StringComparer.Ordinal);

    /// <summary>Takes a path; false if it is taken.</summary>
    public bool TryTake(string path)
    {
        lock (_paths) return _paths.Add(path);
    }

    public bool IsTaken(string path)
    {
        lock (_paths) return _paths.Contains(path);
    }

    public void Release(string path)
    {
        lock (_paths) _paths.Remove(path);
    }
}
