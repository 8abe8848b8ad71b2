namespace Raceway.Interop.Tests.Hosting;

/// <summary>docs/hosting.md, and the repository around it.</summary>
internal static class Document
{
    public static string Text => File.ReadAllText(Path.Combine(Root, "docs", "hosting.md"));

    public static string Root
    {
        get
        {
            DirectoryInfo? at = new(AppContext.BaseDirectory);
            while (at is not null && !File.Exists(Path.Combine(at.FullName, "Raceway.slnx"))) at = at.Parent;
            return at?.FullName ?? throw new DirectoryNotFoundException("Raceway.slnx");
        }
    }
}
