using System.Text;

namespace Raceway.Suites.MainJob;

/// <summary>Writes the digests of files byte for byte as <c>sha512sum</c> prints them.</summary>
public static class Manifest
{
    /// <summary>Writes one line for each file: digest, two spaces, the name as given.</summary>
    /// <remarks>
    /// A name with a backslash, line feed or carriage return is escaped, and its line begins with a backslash, as in
    /// GNU coreutils; <c>sha512sum -c</c> reads it back.
    /// </remarks>
    /// <param name="target">Where to write; UTF-8 without a byte order mark.</param>
    /// <param name="files">The names.</param>
    /// <param name="digests">Their digests.</param>
    public static void Write(Stream target, IReadOnlyList<string> files, FileDigests digests)
    {
        using var writer = new StreamWriter(target, new UTF8Encoding(encoderShouldEmitUTF8Identifier: false), leaveOpen: true);
        for (int file = 0; file < files.Count; file++)
        {
            string name = files[file];
            string escaped = name
                .Replace("\\", "\\\\", StringComparison.Ordinal)
                .Replace("\n", "\\n", StringComparison.Ordinal)
                .Replace("\r", "\\r", StringComparison.Ordinal);
            if (escaped.Length != name.Length)
            {
                writer.Write('\\');
            }

            writer.Write(digests[file]);
            writer.Write("  ");
            writer.Write(escaped);
            writer.Write('\n');
        }
    }
}
