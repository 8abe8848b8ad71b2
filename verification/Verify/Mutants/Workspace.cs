namespace Raceway.Verify.Mutants;

/// <summary>A copy of the tree, in which mutants are applied, built and run one after another.</summary>
internal sealed class Workspace : IDisposable
{
    private static readonly TimeSpan s_gitLimit = TimeSpan.FromMinutes(1);

    private readonly bool _keep;

    private Workspace(string folder, bool keep)
    {
        Folder = folder;
        _keep = keep;
    }

    /// <summary>Where it lies.</summary>
    public string Folder { get; }

    /// <summary>Copies what is tracked, or is new and not ignored, as it is in the tree now.</summary>
    public static Workspace Of(SourceTree tree, bool keep, CancellationToken cancellation)
    {
        string folder = Directory.CreateTempSubdirectory("raceway-mutants-").FullName;
        Execution files = Git(
            tree.Root, ["-c", "core.quotePath=false", "ls-files", "--cached", "--others", "--exclude-standard"], cancellation);
        if (files.ExitCode != 0) throw new VerifyException($"git ls-files failed:\n{files.Output}");
        foreach (string file in files.Output.Split('\n', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries))
        {
            string from = Path.Combine(tree.Root, file);
            string to = Path.Combine(folder, file);
            // Tracked, and deleted in the tree.
            if (!File.Exists(from)) continue;
            Directory.CreateDirectory(Path.GetDirectoryName(to)!);
            File.Copy(from, to);
        }

        return new Workspace(folder, keep);
    }

    /// <summary>Applies a patch; returns what git says against it, or null.</summary>
    public string? Apply(Mutant mutant, CancellationToken cancellation)
    {
        Execution applied = Git(Folder, ["apply", "--whitespace=nowarn", mutant.File], cancellation);
        return applied.ExitCode == 0 ? null : applied.Output;
    }

    /// <summary>Takes a patch back.</summary>
    public void Revert(Mutant mutant)
    {
        Execution reverted = Git(Folder, ["apply", "--whitespace=nowarn", "-R", mutant.File], CancellationToken.None);
        if (reverted.ExitCode != 0) throw new VerifyException($"{mutant.Name} cannot be taken back:\n{reverted.Output}");
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        if (_keep) Console.WriteLine($"The copy stays in {Folder}.");
        else Directory.Delete(Folder, recursive: true);
    }

    // The copy is no tree, and shall not be taken for part of one that it may happen to lie in.
    private static Execution Git(string folder, IEnumerable<string> arguments, CancellationToken cancellation) => Execution.Of(
        "git",
        arguments,
        folder,
        s_gitLimit,
        new Dictionary<string, string?> { ["GIT_CEILING_DIRECTORIES"] = Path.GetDirectoryName(folder) },
        cancellation);
}
