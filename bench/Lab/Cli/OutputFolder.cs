using System.Text;

namespace Raceway.Lab.Cli;

/// <summary>A folder that several files are written to, each whole or not at all.</summary>
internal static class OutputFolder
{
    /// <summary>Writes the files; the folder is made where it is not there.</summary>
    /// <exception cref="ToolException">One cannot be written.</exception>
    public static void Write(string folder, IEnumerable<(string Name, string Content)> files, ToolConsole console)
    {
        try
        {
            Directory.CreateDirectory(folder);
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            throw new ToolException(
                $"cannot make the folder '{folder}': {error.Message.TrimEnd('.')}; choose another name.", ExitCode.Usage, error);
        }

        int count = 0;
        foreach ((string name, string content) in files)
        {
            using OutputFile file = OutputFile.Open("--svg", Path.Combine(folder, name))!;
            file.Commit(stream => stream.Write(Encoding.UTF8.GetBytes(content)));
            count++;
        }

        console.Out.WriteLine($"Wrote {count} plots to '{folder}'.");
    }
}
