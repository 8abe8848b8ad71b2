using System.Buffers.Text;

namespace Raceway.Suites.LoggingSuite;

/// <summary>Reads back what a contestant has written, and compares every byte but the digits of the times.</summary>
internal static class LogReading
{
    private static ReadOnlySpan<byte> Time => "0000-00-00 00:00:00.000Z"u8;

    /// <summary>Whether the file has the entries of each thread from 0 on, as many as given, in their order, and nothing else.</summary>
    public static bool IsRight(string path, ReadOnlySpan<int> counts)
    {
        ReadOnlySpan<byte> rest = File.ReadAllBytes(path);
        int[] next = new int[counts.Length];
        Span<byte> expected = stackalloc byte[LogEntryText.MostLength];
        while (!rest.IsEmpty)
        {
            int end = rest.IndexOf((byte)'\n') + 1;
            if (end == 0 || !IsTime(rest) || !TryThread(rest[..end], out int thread) || (uint)thread >= (uint)next.Length) return false;
            int length = LogEntryText.Write(expected, thread, next[thread]++);
            if (!rest[LogEntryText.TimeLength..end].SequenceEqual(expected[..length])) return false;
            rest = rest[end..];
        }

        return counts.SequenceEqual(next);
    }

    private static bool IsTime(ReadOnlySpan<byte> line)
    {
        if (line.Length < Time.Length) return false;
        for (int i = 0; i < Time.Length; i++)
            if (Time[i] == '0' ? !char.IsAsciiDigit((char)line[i]) : line[i] != Time[i]) return false;
        return true;
    }

    private static bool TryThread(ReadOnlySpan<byte> line, out int thread)
    {
        ReadOnlySpan<byte> mark = "thread "u8;
        int at = line.IndexOf(mark);
        thread = 0;
        return at >= 0 && Utf8Parser.TryParse(line[(at + mark.Length)..], out thread, out _);
    }
}
