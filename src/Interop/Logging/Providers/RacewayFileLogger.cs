using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Raceway.Interop.Logging;

/// <summary>The logger of a category. Which levels are logged, the filters of the host say.</summary>
internal sealed class RacewayFileLogger(RacewayFileLoggerProvider provider, string category) : ILogger
{
    public bool IsEnabled(LogLevel logLevel) => logLevel != LogLevel.None;

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull =>
        provider.Scopes?.Push(state);

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        ArgumentNullException.ThrowIfNull(formatter);
        if (!IsEnabled(logLevel)) return;
        var entry = new ProvidedEntry<TState>(provider, new LogEntry<TState>(logLevel, category, eventId, state, exception, formatter));
        provider.File.Write(logLevel, entry, ProvidedEntry<TState>.Format);
    }
}

/// <summary>An entry, and what it is formatted by.</summary>
internal readonly struct ProvidedEntry<TState>(RacewayFileLoggerProvider provider, LogEntry<TState> entry)
{
    private readonly LogEntry<TState> _entry = entry;

    /// <summary>Made once for each type of state.</summary>
    public static EntryFormat<ProvidedEntry<TState>> Format { get; } =
        static (entry, writer) => entry.WriteTo(writer);

    private void WriteTo(EntryWriter writer) => provider.Formatter.Write(in _entry, provider.WrittenScopes, writer);
}
