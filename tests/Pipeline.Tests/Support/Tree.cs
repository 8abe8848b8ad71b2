namespace Raceway.Pipelines.Tests.Support;

/// <summary>Where the sources are: the tests run from the build's output, which lies inside the tree.</summary>
internal static class Tree
{
    public static string Root { get; } = Find();

    private static string Find()
    {
        DirectoryInfo? at = new(AppContext.BaseDirectory);
        while (at is not null && !File.Exists(Path.Combine(at.FullName, "Raceway.slnx"))) at = at.Parent;
        return at?.FullName ?? throw new DirectoryNotFoundException("Raceway.slnx");
    }
}
