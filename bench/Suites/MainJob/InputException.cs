namespace Raceway.Suites.MainJob;

/// <summary>Input that cannot be used, said in the user's words: what is wrong, with which path, and what to do.</summary>
public sealed class InputException : Exception
{
    /// <summary>Creates the error.</summary>
    /// <param name="message">The whole message for the user.</param>
    /// <param name="inner">What the system said, where it said something.</param>
    public InputException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }

    /// <summary>Puts what the system said about <paramref name="path"/> into the user's words.</summary>
    /// <param name="path">The path as the user gave it.</param>
    /// <param name="error">What opening or reading it threw.</param>
    public static InputException Reading(string path, Exception error) => new(
        error switch
        {
            FileNotFoundException or DirectoryNotFoundException =>
                $"'{path}' vanished before it could be read; run again when the input is at rest.",
            UnauthorizedAccessException =>
                $"no permission to read '{path}'; grant read access or leave it out of --input.",
            _ => $"'{path}' cannot be read: {error.Message}",
        },
        error);
}
