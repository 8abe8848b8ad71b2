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
        if (exception is null && provider.FormatsLater && LoggedState<TState>.Stays(formatter) && LoggedState<TState>.IsShort(state, provider.MostText))
        {
            var message = new LateMessage<TState>(this, logLevel, eventId, state, formatter);
            provider.File.WriteLater(logLevel, in message, LateMessage<TState>.Format);
            return;
        }

        var entry = new ProvidedEntry<TState>(provider, new LogEntry<TState>(logLevel, category, eventId, state, exception, formatter));
        provider.File.Write(logLevel, entry, ProvidedEntry<TState>.Format);
    }

    /// <summary>Formats a message of this category after its call.</summary>
    internal void Format<TState>(LogLevel level, EventId eventId, in TState state, Func<TState, Exception?, string> formatter, EntryWriter writer)
    {
        var entry = new LogEntry<TState>(level, category, eventId, state, null, formatter);
        provider.Formatter.Write(in entry, null, writer);
    }
}

/// <summary>A message that is formatted after its call. No more than that takes, as it is copied into the ring.</summary>
internal readonly struct LateMessage<TState>(
    RacewayFileLogger logger, LogLevel level, EventId eventId, TState state, Func<TState, Exception?, string> formatter)
{
    private readonly TState _state = state;

    /// <summary>Made once for each type of state.</summary>
    public static EntryFormat<LateMessage<TState>> Format { get; } =
        static (message, writer) => message.WriteTo(writer);

    private void WriteTo(EntryWriter writer) => logger.Format(level, eventId, in _state, formatter, writer);
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
