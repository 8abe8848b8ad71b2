using System.Diagnostics.Metrics;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Options;

namespace Raceway.Interop.Logging;

/// <summary>Makes loggers that write to one <see cref="LogFile"/>. A host gets it by <c>AddRacewayFile</c>.</summary>
/// <remarks><b>Threads</b>: every member by any thread, also after disposal: then entries are counted and nothing is written.</remarks>
/// <example>
/// <code>
/// builder.Logging.AddProvider(new RacewayFileLoggerProvider(new RacewayFileLoggerOptions { Path = "logs/audit.log" }));
/// </code>
/// </example>
[ProviderAlias("RacewayFile")]
public sealed class RacewayFileLoggerProvider : ILoggerProvider, ISupportExternalScope, IAsyncDisposable
{
    private readonly bool _includesScopes;
    private readonly LogFileMeter? _meter;
    private IExternalScopeProvider? _scopes;

    /// <summary>One with options of its own, such as a second file of a host.</summary>
    /// <remarks>
    /// Add it as a service that the host makes and disposes: <c>Services.AddSingleton&lt;ILoggerProvider&gt;(_ =&gt; new …)</c>. A host does
    /// not dispose of what <c>AddProvider</c> is given.
    /// </remarks>
    /// <exception cref="ArgumentException">There is no path, or an option is out of range.</exception>
    public RacewayFileLoggerProvider(RacewayFileLoggerOptions options)
        : this(options, null)
    {
    }

    /// <summary>The one of a host.</summary>
    /// <param name="options">The host's.</param>
    /// <param name="meters">Makes its meter, if the host has metrics.</param>
    /// <exception cref="ArgumentException">There is no path, or an option is out of range.</exception>
    public RacewayFileLoggerProvider(IOptions<RacewayFileLoggerOptions> options, IMeterFactory? meters = null)
        : this((options ?? throw new ArgumentNullException(nameof(options))).Value, meters)
    {
    }

    private RacewayFileLoggerProvider(RacewayFileLoggerOptions options, IMeterFactory? meters)
    {
        ArgumentNullException.ThrowIfNull(options);
        Formatter = options.Formatter ?? (options.Format == LogFormat.Json ? EntryFormatter.Json : EntryFormatter.Text);
        (_includesScopes, MostText) = (options.IncludeScopes, options.MaxEntryBytes);
        FormatsLater = Formatter.UsesEntryAlone && !_includesScopes;
        File = new LogFile(options.Path ?? "", options, WriteNotice);
        if (options.MeterName is { } name) _meter = File.CreateMeter(name, meters);
    }

    /// <summary>Where entries go: its figures, and <see cref="LogFile.Flush()"/>.</summary>
    public LogFile File { get; }

    internal EntryFormatter Formatter { get; }

    /// <summary>The scopes of entries; null if they are left out.</summary>
    internal IExternalScopeProvider? WrittenScopes => _includesScopes ? _scopes : null;

    internal IExternalScopeProvider? Scopes => _scopes;

    /// <summary>Whether an entry may be formatted after its call, and by another thread. Scopes are the caller's.</summary>
    internal bool FormatsLater { get; }

    /// <summary>A longer text is not held until the writer comes: its entry is formatted, and cut, during the call.</summary>
    internal int MostText { get; }

    /// <inheritdoc/>
    public ILogger CreateLogger(string categoryName) => new RacewayFileLogger(this, categoryName);

    /// <inheritdoc/>
    public void SetScopeProvider(IExternalScopeProvider scopeProvider) => _scopes = scopeProvider;

    /// <summary>Writes what was logged, and closes the file. Idempotent.</summary>
    public void Dispose()
    {
        File.Dispose();
        _meter?.Dispose();
    }

    /// <inheritdoc cref="Dispose"/>
    public async ValueTask DisposeAsync()
    {
        await File.DisposeAsync().ConfigureAwait(false);
        _meter?.Dispose();
    }

    // In the form of the other entries, so that what reads the file can read it.
    private void WriteNotice(LogLoss loss, EntryWriter writer)
    {
        var entry = new LogEntry<string>(
            LogLevel.Warning, typeof(LogFile).Namespace!, default, loss.ToString(), null, static (text, _) => text);
        Formatter.Write(in entry, null, writer);
    }
}
