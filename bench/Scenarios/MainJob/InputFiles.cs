using System.IO.Enumeration;

namespace Raceway.Scenarios.MainJob;

/// <summary>Finds the files that a run reads.</summary>
public static class InputFiles
{
    /// <summary>The files behind <c>--input</c>, or the machine's own reference documentation where none is given.</summary>
    /// <param name="inputs">Files and folders, as the user gave them; empty for the default.</param>
    /// <exception cref="InputException">A path is missing, empty, unreadable or no ordinary file.</exception>
    public static InputSet Resolve(IReadOnlyList<string> inputs)
    {
        if (inputs.Count == 0)
        {
            return ReferenceDocs.Find();
        }

        var files = new List<string>();
        var notes = new List<string>();
        foreach (string input in inputs)
        {
            if (Directory.Exists(input))
            {
                AddFolder(input, files, notes);
            }
            else
            {
                AddFile(input, files);
            }
        }

        string description = inputs.Count == 1 ? inputs[0] : $"{inputs.Count} paths";
        return new InputSet(files, description, notes);
    }

    /// <summary>All ordinary files below <paramref name="folder"/>, sorted ordinally by their whole path.</summary>
    private static void AddFolder(string folder, List<string> files, List<string> notes)
    {
        List<string> found;
        try
        {
            found = [.. Below(folder)];
        }
        catch (Exception error) when (error is UnauthorizedAccessException or IOException)
        {
            throw InputException.Reading(folder, error);
        }

        int all = found.Count;
        found.RemoveAll(FileKind.IsSpecial);
        if (found.Count < all)
        {
            notes.Add($"left out {all - found.Count} devices, pipes or sockets in '{folder}'");
        }

        if (found.Count == 0)
        {
            throw new InputException($"folder '{folder}' holds no files; --input takes files, or folders with files.");
        }

        found.Sort(string.CompareOrdinal);
        files.AddRange(found);
    }

    private static void AddFile(string path, List<string> files)
    {
        if (!File.Exists(path))
        {
            throw new InputException($"no such file or folder: '{path}'; --input takes paths that exist.");
        }

        if (FileKind.IsSpecial(path))
        {
            throw new InputException(
                $"'{path}' is a device, pipe or socket; the input is read more than once, so save it to a file first.");
        }

        files.Add(path);
    }

    /// <summary>Walks a folder like <c>find</c>: hidden files too, links to files, but never through links to folders.</summary>
    private static FileSystemEnumerable<string> Below(string folder)
    {
        var options = new EnumerationOptions
        {
            RecurseSubdirectories = true,
            AttributesToSkip = 0,
            IgnoreInaccessible = false,
        };
        return new FileSystemEnumerable<string>(folder, static (ref entry) => entry.ToSpecifiedFullPath(), options)
        {
            ShouldIncludePredicate = static (ref entry) => !entry.IsDirectory,
            ShouldRecursePredicate = static (ref entry) => (entry.Attributes & FileAttributes.ReparsePoint) == 0,
        };
    }
}
