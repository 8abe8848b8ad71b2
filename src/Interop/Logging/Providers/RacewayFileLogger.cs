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
        var message = new LoggedMessage<TState>(this, logLevel, eventId, state, exception, formatter);
        // Exceptions and scopes are the caller's: they may have changed when the writer comes.
        bool canWait = exception is null && provider.FormatsLater
            && LoggedState<TState>.Stays(formatter) && LoggedState<TState>.IsShort(state, provider.MostText);
        if (canWait) provider.File.WriteLater(logLevel, in message, LoggedMessage<TState>.Format);
        else provider.File.Write(logLevel, message, LoggedMessage<TState>.Format);
    }

    /// <summary>Formats a message of this category.</summary>
    internal void Format<TState>(
        LogLevel level, EventId eventId, in TState state, Exception? exception, Func<TState, Exception?, string> formatter, EntryWriter writer)
    {
        var entry = new LogEntry<TState>(level, category, eventId, state, exception, formatter);
        provider.Formatter.Write(in entry, provider.WrittenScopes, writer);
    }
}

/// <summary>What the logger was given. It has no more than that, as it may be copied into the ring.</summary>
internal readonly struct LoggedMessage<TState>(
    RacewayFileLogger logger, LogLevel level, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
{
    private readonly TState _state = state;

    /// <summary>Made once for each type of state.</summary>
    public static EntryFormat<LoggedMessage<TState>> Format { get; } =
        static (message, writer) => message.WriteTo(writer);

    private void WriteTo(EntryWriter writer) => logger.Format(level, eventId, in _state, exception, formatter, writer);
}
