using System.IO.Enumeration;
using Microsoft.Win32.SafeHandles;
using Raceway.Measuring;

namespace Raceway.Suites.MainJob;

/// <summary>Finds the files that a run reads.</summary>
public static class InputFiles
{
    // What the runtime makes of bytes in a name that are no text; no path leads there.
    private const char NotUtf8 = '\uFFFD';
    private const int MostNamed = 5;

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
        var unread = new List<string>();
        foreach (string input in inputs)
        {
            if (Directory.Exists(input))
            {
                AddFolder(input, files, notes, unread);
            }
            else
            {
                AddFile(input, files);
            }
        }

        string description = inputs.Count == 1 ? inputs[0] : $"{inputs.Count} paths";
        return new InputSet(files, description, notes) { Unread = unread };
    }

    /// <summary>All ordinary files below <paramref name="folder"/>, sorted ordinally by their whole path.</summary>
    private static void AddFolder(string folder, List<string> files, List<string> notes, List<string> unread)
    {
        var found = new List<string>();
        int special = 0, before = unread.Count;
        foreach (string path in Below(folder, unread))
        {
            if (FileKind.IsSpecial(path)) special++;
            else if (WhyUnread(path) is { } why) unread.Add($"'{path}' {why}");
            else found.Add(path);
        }

        if (special > 0) notes.Add($"left out {special} devices, pipes or sockets in '{folder}'");
        if (found.Count == 0)
        {
            string left = unread.Count == before ? "" : $" that can be read ({string.Join("; ", unread.Skip(before).Take(MostNamed))})";
            throw new InputException($"folder '{folder}' holds no files{left}; --input takes files, or folders with files.");
        }

        found.Sort(string.CompareOrdinal);
        files.AddRange(found);
    }

    private static void AddFile(string path, List<string> files)
    {
        if (!File.Exists(path))
        {
            throw new InputException(
                new FileInfo(path).LinkTarget is { } target
                    ? $"'{path}' is a link to '{target}', which does not exist; --input takes paths that exist."
                    : $"no such file or folder: '{path}'; --input takes paths that exist.");
        }

        if (FileKind.IsSpecial(path))
        {
            throw new InputException(
                $"'{path}' is a device, pipe or socket; the input is read more than once, so save it to a file first.");
        }

        files.Add(path);
    }

    /// <summary>Why a file that a folder lists cannot be read, as the end of a sentence.</summary>
    private static string? WhyUnread(string path)
    {
        try
        {
            using SafeFileHandle file = File.OpenHandle(path, share: FileShare.ReadWrite | FileShare.Delete);
            return null;
        }
        catch (UnauthorizedAccessException)
        {
            return "must not be read by this user";
        }
        catch (Exception error) when (error is FileNotFoundException or DirectoryNotFoundException)
        {
            return path.Contains(NotUtf8) ? "has a name that is not UTF-8"
                : new FileInfo(path).LinkTarget is { } target ? $"is a link to '{target}', which does not exist"
                : "vanished meanwhile";
        }
        catch (IOException error)
        {
            return $"cannot be read: {error.Message}";
        }
    }

    /// <summary>Walks a folder like <c>find</c>: hidden files too, links to files, but never through links to folders.</summary>
    private static IEnumerable<string> Below(string folder, List<string> unread)
    {
        var left = new Stack<string>([folder]);
        var options = new EnumerationOptions { AttributesToSkip = 0, IgnoreInaccessible = false };
        while (left.TryPop(out string? next))
        {
            (string Path, bool IsFolder)[] entries;
            try
            {
                entries =
                [
                    .. new FileSystemEnumerable<(string, bool)>(
                        next,
                        static (ref entry) => (
                            entry.ToSpecifiedFullPath(),
                            entry.IsDirectory && (entry.Attributes & FileAttributes.ReparsePoint) == 0),
                        options)
                    {
                        ShouldIncludePredicate = static (ref entry) =>
                            !entry.IsDirectory || (entry.Attributes & FileAttributes.ReparsePoint) == 0,
                    },
                ];
            }
            catch (Exception error) when (error is UnauthorizedAccessException or IOException)
            {
                string why = error is UnauthorizedAccessException ? "must not be read by this user"
                    : next.Contains(NotUtf8) ? "has a name that is not UTF-8"
                    : error is DirectoryNotFoundException ? "vanished meanwhile"
                    : $"cannot be read: {error.Message}";
                unread.Add($"folder '{next}' {why}");
                continue;
            }

            foreach ((string path, bool isFolder) in entries)
            {
                if (isFolder) left.Push(path);
                else yield return path;
            }
        }
    }
}
