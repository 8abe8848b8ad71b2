using System.Globalization;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Logging.Configuration;
using Microsoft.Extensions.Options;

namespace Raceway.Interop.Logging;

/// <summary>Reads options from <c>Logging:RacewayFile</c>: by name, since a binder that reflects does not survive trimming.</summary>
internal sealed class RacewayFileConfiguration(ILoggerProviderConfiguration<RacewayFileLoggerProvider> configuration)
    : IConfigureOptions<RacewayFileLoggerOptions>
{
    private readonly IConfiguration _from = configuration.Configuration;

    public void Configure(RacewayFileLoggerOptions options)
    {
        options.Path = _from[nameof(options.Path)] ?? options.Path;
        options.MeterName = _from[nameof(options.MeterName)] ?? options.MeterName;
        options.Format = Named(nameof(options.Format), options.Format);
        options.Overflow = Named(nameof(options.Overflow), options.Overflow);
        options.KeepFrom = Named(nameof(options.KeepFrom), options.KeepFrom);
        options.Critical = Named(nameof(options.Critical), options.Critical);
        options.Capacity = Value(nameof(options.Capacity), options.Capacity);
        options.MaxEntryBytes = Value(nameof(options.MaxEntryBytes), options.MaxEntryBytes);
        options.FlushInterval = Value(nameof(options.FlushInterval), options.FlushInterval);
        options.FlushTimeout = Value(nameof(options.FlushTimeout), options.FlushTimeout);
        options.IncludeScopes = Value(nameof(options.IncludeScopes), options.IncludeScopes);
        options.RollDaily = Value(nameof(options.RollDaily), options.RollDaily);
        options.LocalTime = Value(nameof(options.LocalTime), options.LocalTime);
        if (_from[nameof(options.MaxFileBytes)] is not null) options.MaxFileBytes = Value(nameof(options.MaxFileBytes), 0L);
        if (_from[nameof(options.RetainedFiles)] is not null) options.RetainedFiles = Value(nameof(options.RetainedFiles), 0);
    }

    private T Value<T>(string key, T otherwise)
        where T : IParsable<T> =>
        _from[key] is not { } text ? otherwise
        : T.TryParse(text, CultureInfo.InvariantCulture, out T? value) ? value
        : throw LoggingErrors.Configuration(key, text, typeof(T).Name);

    private T Named<T>(string key, T otherwise)
        where T : struct, Enum =>
        _from[key] is not { } text ? otherwise
        : Enum.TryParse(text, ignoreCase: true, out T value) && Enum.IsDefined(value) ? value
        : throw LoggingErrors.Configuration(key, text, string.Join(", ", Enum.GetNames<T>()));
}
