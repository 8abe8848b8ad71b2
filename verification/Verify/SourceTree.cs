namespace Raceway.Verify;

/// <summary>The tree that is proven.</summary>
/// <param name="Root">Its folder.</param>
internal sealed record SourceTree(string Root)
{
    private const string Solution = "Raceway.slnx";

    /// <summary>The one that a folder is in.</summary>
    public static SourceTree Find(string folder)
    {
        for (DirectoryInfo? at = new(folder); at is not null; at = at.Parent)
            if (File.Exists(Path.Combine(at.FullName, Solution))) return new SourceTree(at.FullName);
        throw new VerifyException($"run it from within the tree that {Solution} lies in.");
    }

    /// <summary>The patches.</summary>
    public string Mutants => Path.Combine(Root, "verification", "mutants");

    /// <summary>The script that checks the models.</summary>
    public string Models => Path.Combine(Root, "verification", "models", "check");
}
