using Microsoft.Extensions.Logging;
using Raceway.Interop.Logging;

namespace Raceway.Suites.LoggingSuite;

/// <summary>Ours alone: the entry is formatted as UTF-8, so that nothing is allocated for it.</summary>
internal sealed class LogFileSession(string path) : LogSession
{
    private readonly LogFile _file = new(path, new LogFileOptions { Capacity = LoggingCases.Capacity });

    public override void Log(int thread, int id) => _file.Write(LogLevel.Information, (thread, id), static (entry, writer) =>
    {
        writer.WriteTimestamp();
        writer.Advance(LogEntryText.Write(writer.GetSpan(LogEntryText.MostLength), entry.thread, entry.id));
    });

    public override void Dispose() => _file.Dispose();
}
