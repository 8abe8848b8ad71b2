namespace Raceway.Tests.Support;

/// <summary>The checked-in files that tests read.</summary>
internal static class Tree
{
    /// <summary>The folder of the solution. Tests run from the build's output, which lies inside the tree.</summary>
    public static string Root { get; } = Find();

    public static string Read(params string[] path) => File.ReadAllText(Path.Combine([Root, .. path]));

    private static string Find()
    {
        DirectoryInfo? at = new(AppContext.BaseDirectory);
        while (at is not null && !File.Exists(Path.Combine(at.FullName, "Raceway.slnx"))) at = at.Parent;
        return at?.FullName ?? throw new DirectoryNotFoundException("Raceway.slnx");
    }
}
