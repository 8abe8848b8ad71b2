using System.Globalization;
using System.Runtime.CompilerServices;
using System.Text;
using Microsoft.Extensions.Logging;

namespace Raceway.Interop.Logging;

/// <summary>Entries that are not in the file, to be told in the file itself.</summary>
/// <example>
/// <code>
/// static void Tell(LogLoss loss, EntryWriter writer) => writer.WriteLine($"{loss.Total} entries dropped: {loss.Reason}");
///
/// await using var file = new LogFile("logs/audit.log", notice: Tell);
/// </code>
/// </example>
public readonly struct LogLoss
{
    private readonly LevelCounts _counts;

    internal LogLoss(LogLossReason reason, LevelCounts counts)
    {
        Reason = reason;
        _counts = counts;
        long total = 0;
        foreach (long count in counts) total += count;
        Total = total;
    }

    /// <summary>Why they are not there.</summary>
    public LogLossReason Reason { get; }

    /// <summary>How many there are.</summary>
    public long Total { get; }

    /// <summary>How many of them are of that level.</summary>
    public long this[LogLevel level] => level is >= LogLevel.Trace and <= LogLevel.Critical ? _counts[(int)level] : 0;

    /// <summary>In a sentence: how many, why, and of which levels.</summary>
    public override string ToString()
    {
        var text = new StringBuilder();
        text.Append(CultureInfo.InvariantCulture, $"{Total} log {(Total == 1 ? "entry was" : "entries were")} dropped because ");
        text.Append(Reason switch
        {
            LogLossReason.Full => "the buffer was full (",
            LogLossReason.File => "the file could not be written (",
            _ => Total == 1 ? "its text could not be made (" : "their text could not be made (",
        });
        bool follows = false;
        for (LogLevel level = LogLevel.Trace; level <= LogLevel.Critical; level++)
        {
            if (this[level] == 0) continue;
            if (follows) text.Append(", ");
            text.Append(CultureInfo.InvariantCulture, $"{this[level]} {level}");
            follows = true;
        }

        return text.Append(')').ToString();
    }

    /// <summary>The sentence as a line of text.</summary>
    internal static void WriteLine(LogLoss loss, EntryWriter writer)
    {
        writer.WriteTimestamp();
        writer.WriteUtf8(" "u8);
        writer.WriteLine(loss.ToString());
    }
}

/// <summary>Why entries are not in the file.</summary>
public enum LogLossReason
{
    /// <summary>The buffer was full.</summary>
    Full,

    /// <summary>The file could not be written.</summary>
    File,

    /// <summary>Their formatter threw, on the writer's thread (<see cref="LogFile.WriteLater"/>).</summary>
    Format,
}

/// <summary>Writes the line that says what was dropped, in the form of the other entries. Runs on the writer's thread.</summary>
public delegate void LossFormat(LogLoss loss, EntryWriter writer);

/// <summary>A count for each level.</summary>
[InlineArray(Levels)]
internal struct LevelCounts
{
    public const int Levels = (int)LogLevel.Critical + 1;

    private long _first;
}
