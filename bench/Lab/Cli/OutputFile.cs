using Raceway.Measuring;

namespace Raceway.Lab.Cli;

/// <summary>A file that appears under its name when it is whole, or not at all.</summary>
/// <remarks>
/// It is written beside its final name and moved there by <see cref="Commit"/>. It is opened before the work begins, so
/// that a folder that cannot be written to is found at once and not after a minute. A device or pipe has nothing to
/// replace and is written to directly.
/// </remarks>
internal sealed class OutputFile : IDisposable
{
    private readonly string _name;
    private readonly string _target;
    private readonly string? _partial;
    private readonly FileStream _stream;
    private bool _closed;

    private OutputFile(string name)
    {
        _name = name;
        _target = Path.GetFullPath(name);
        if (FileKind.IsSpecial(name))
        {
            _stream = new FileStream(name, FileMode.Open, FileAccess.Write);
            return;
        }

        // A link stays a link: what it points to is replaced.
        _target = new FileInfo(name) is { LinkTarget: not null } link
            ? link.ResolveLinkTarget(returnFinalTarget: true)!.FullName
            : _target;
        _partial = $"{_target}.{Environment.ProcessId}.partial";
        _stream = new FileStream(_partial, FileMode.CreateNew, FileAccess.Write);
    }

    /// <summary>Opens a file for an option, or none where the option was not given.</summary>
    /// <exception cref="ToolException">It cannot be written.</exception>
    public static OutputFile? Open(string option, string? name)
    {
        if (name is null)
        {
            return null;
        }

        if (Directory.Exists(name))
        {
            throw new ToolException(
                $"{option} takes the name of a file, but '{name}' is a folder; name a file in it.", ExitCode.Usage);
        }

        try
        {
            return new OutputFile(name);
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            throw Failure(name, error, ExitCode.Usage);
        }
    }

    /// <summary>Writes the content and moves the file to its name.</summary>
    /// <exception cref="ToolException">The disk is full, or the like; nothing is left under the name.</exception>
    public void Commit(Action<Stream> write)
    {
        try
        {
            write(_stream);
            Close(toDisk: _partial is not null);
            if (_partial is not null)
            {
                File.Move(_partial, _target, overwrite: true);
            }
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            Dispose();
            throw Failure(_name, error, ExitCode.Failed);
        }
    }

    /// <summary>Closes the file; without a <see cref="Commit"/> nothing of it stays.</summary>
    public void Dispose()
    {
        if (_closed)
        {
            return;
        }

        _closed = true;
        try
        {
            _stream.Dispose();
        }
        catch (IOException)
        {
            // Closing flushes what a full disk did not take; it is deleted anyway.
        }

        if (_partial is not null)
        {
            File.Delete(_partial);
        }
    }

    private void Close(bool toDisk)
    {
        _stream.Flush(toDisk);
        _stream.Dispose();
    }

    private static ToolException Failure(string name, Exception error, int exitCode) => new(
        error is DirectoryNotFoundException
            ? $"cannot write '{name}': its folder does not exist; create it or choose another name."
            : $"cannot write '{name}': {error.Message.TrimEnd('.')}; nothing was left under that name.",
        exitCode,
        error);
}
