using System.Globalization;
using System.Text.Unicode;
using Microsoft.Win32.SafeHandles;
using Raceway.Rings;

namespace Accounts;

/// <summary>The replies: a line each in a file, in the order of the commands, each once.</summary>
internal sealed class Output : IBatchHandler<Command>, IDisposable
{
    public const int LineLength = 36;

    private readonly SafeFileHandle _file;
    private byte[] _lines = new byte[64 * LineLength];
    private long _next;

    /// <summary>Cuts what a killed process has left of a line.</summary>
    public Output(string folder)
    {
        byte[] written = Read(folder);
        while (IsLine(written, _next)) _next++;
        _file = File.OpenHandle(PathOf(folder), FileMode.OpenOrCreate, FileAccess.ReadWrite);
        RandomAccess.SetLength(_file, _next * LineLength);
    }

    /// <summary>The offset of the first command without a line.</summary>
    public long Next => Volatile.Read(ref _next);

    public static byte[] Read(string folder) => File.Exists(PathOf(folder)) ? File.ReadAllBytes(PathOf(folder)) : [];

    public static void Format(in Command command, Span<byte> line) =>
        Utf8.TryWrite(line, CultureInfo.InvariantCulture, $"{command.Offset,9} {command.From,4} {command.Cents,5} {command.Reply,14}\n", out _);

    public void OnBatch(Batch<Command> batch)
    {
        if (_lines.Length < batch.Count * LineLength) _lines = new byte[batch.Count * LineLength];
        int length = 0;
        foreach (ref Command command in batch)
        {
            // A replay comes by with what an earlier process has answered.
            if (command.Offset < _next) continue;
            Format(command, _lines.AsSpan(length, LineLength));
            length += LineLength;
        }

        if (length == 0) return;
        RandomAccess.Write(_file, _lines.AsSpan(0, length), _next * LineLength);
        // A snapshot may be saved behind this stage, and no replay begins before a snapshot.
        RandomAccess.FlushToDisk(_file);
        Volatile.Write(ref _next, _next + (length / LineLength));
    }

    public void Dispose() => _file.Dispose();

    private static string PathOf(string folder) => Path.Combine(folder, "replies.txt");

    private static bool IsLine(byte[] written, long offset) =>
        (offset + 1) * LineLength <= written.Length
        && long.TryParse(written.AsSpan((int)offset * LineLength, 9), CultureInfo.InvariantCulture, out long found) && found == offset;
}
