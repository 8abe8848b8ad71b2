using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;
using Raceway.Interop.Hosting;

namespace Raceway.Interop.Tests.Hosting;

/// <summary>What hosted pipelines have logged.</summary>
internal sealed class Logs : ILoggerProvider, ILogger
{
    private readonly ConcurrentQueue<(int Id, string Text, Exception? Fault)> _entries = new();

    public IReadOnlyList<(int Id, string Text, Exception? Fault)> Entries => [.. _entries];

    public int[] Ids => [.. _entries.Select(entry => entry.Id)];

    public ILogger CreateLogger(string categoryName) =>
        categoryName == typeof(HostedPipeline).FullName ? this : Microsoft.Extensions.Logging.Abstractions.NullLogger.Instance;

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => true;

    public void Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) =>
        _entries.Enqueue((eventId.Id, formatter(state, exception), exception));

    public void Dispose()
    {
    }
}
