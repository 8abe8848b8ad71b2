using System.Globalization;

namespace Raceway.Logging.Tests.Support;

/// <summary>Entries that say which thread made them and which of its entries they are.</summary>
internal static class LogLines
{
    /// <summary>Logs a text as it is.</summary>
    public static void Line(this LogFile file, string text, LogLevel level = LogLevel.Information) =>
        file.Write(level, text, static (text, writer) => writer.WriteLine(text));

    /// <summary>Logs the entry of that number, of that thread.</summary>
    public static void Numbered(this LogFile file, int thread, int number, LogLevel level = LogLevel.Information) =>
        file.Write(level, (thread, number), static (state, writer) => writer.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{state.thread} {state.number}")));

    /// <summary>Fails unless the lines are, for each thread, its entries from 0 on without a gap. Returns how many it has.</summary>
    public static int[] AssertInOrder(IEnumerable<string> lines, int threads)
    {
        int[] next = new int[threads];
        foreach (string line in lines)
        {
            string[] parts = line.Split(' ');
            int thread = int.Parse(parts[0], CultureInfo.InvariantCulture);
            Assert.Equal(next[thread]++, int.Parse(parts[1], CultureInfo.InvariantCulture));
        }

        return next;
    }
}
