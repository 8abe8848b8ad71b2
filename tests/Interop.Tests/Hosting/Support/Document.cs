namespace Raceway.Interop.Tests.Hosting;

/// <summary>docs/hosting.md.</summary>
internal static class Document
{
    public static string Text => File.ReadAllText(Path.Combine(Tree.Root, "docs", "hosting.md"));
}
