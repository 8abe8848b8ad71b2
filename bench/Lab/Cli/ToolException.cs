namespace Raceway.Lab.Cli;

/// <summary>An error with the message for the user and the exit code that fits it.</summary>
internal sealed class ToolException(string message, int exitCode, Exception? inner = null) : Exception(message, inner)
{
    /// <summary>How the process ends.</summary>
    public int ExitCode { get; } = exitCode;
}
