using System.Text;

namespace Raceway.Lab.Tests.Support;

/// <summary>A folder of its own for a test, removed at the end.</summary>
internal sealed class TempFolder : IDisposable
{
    public string Path { get; } = Directory.CreateTempSubdirectory("raceway-").FullName;

    public string File(string name) => System.IO.Path.Combine(Path, name);

    public string Write(string name, ReadOnlySpan<byte> content)
    {
        string path = File(name);
        Directory.CreateDirectory(System.IO.Path.GetDirectoryName(path)!);
        System.IO.File.WriteAllBytes(path, content);
        return path;
    }

    public string Write(string name, string content) => Write(name, Encoding.UTF8.GetBytes(content));

    /// <summary>Files as the issue lists them: empty, without a final newline, CRLF, newlines only, binary, a long line.</summary>
    public string WriteOddFiles()
    {
        byte[] binary = new byte[70_000];
        new Random(7).NextBytes(binary);
        Write("odd/empty", "");
        Write("odd/no-final-newline.xml", "<doc>\n  <members>");
        Write("odd/crlf.xml", "<doc>\r\n  <member name=\"T:A\">\r\n\r\n</doc>\r\n");
        Write("odd/newlines", "\n\n\n\n");
        Write("odd/binary", binary);
        Write("odd/sub/long-line", new string('x', 3_000_000) + "\nshort\n");
        Write("odd/zeros", new byte[1_000]);
        return File("odd");
    }

    public void Dispose() => Directory.Delete(Path, recursive: true);
}
