using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Logging.Configuration;
using Microsoft.Extensions.Options;
using Raceway.Interop.Logging;

// Where users of builder.Logging look for it.
namespace Microsoft.Extensions.Logging;

/// <summary>Adds a log file to a host.</summary>
/// <example>
/// <code>
/// builder.Logging.AddRacewayFile("logs/shop.log", static options =>
/// {
///     options.Format = LogFormat.Json;
///     options.Overflow = LogOverflow.DropBelow;
/// });
/// </code>
/// </example>
public static class RacewayFileLoggingBuilder
{
    /// <summary>Adds the log file that <c>Logging:RacewayFile</c> of the configuration describes.</summary>
    /// <remarks>
    /// Levels go by the usual filters, under <c>Logging:RacewayFile:LogLevel</c> too. A host has one such file: added again, it is the
    /// same with further options. For a second one, see <see cref="RacewayFileLoggerProvider(RacewayFileLoggerOptions)"/>.
    /// </remarks>
    /// <param name="builder">The host's.</param>
    /// <param name="configure">Has the last word, behind the configuration.</param>
    public static ILoggingBuilder AddRacewayFile(this ILoggingBuilder builder, Action<RacewayFileLoggerOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        builder.AddConfiguration();
        builder.Services.TryAddEnumerable(
        [
            ServiceDescriptor.Singleton<ILoggerProvider, RacewayFileLoggerProvider>(),
            ServiceDescriptor.Singleton<IConfigureOptions<RacewayFileLoggerOptions>, RacewayFileConfiguration>(),
        ]);
        if (configure is not null) builder.Services.Configure(configure);
        return builder;
    }

    /// <summary>Adds a log file.</summary>
    /// <param name="builder">The host's.</param>
    /// <param name="path">The file.</param>
    /// <param name="configure">Has the last word, behind the configuration.</param>
    /// <inheritdoc cref="AddRacewayFile(ILoggingBuilder, Action{RacewayFileLoggerOptions}?)" path="/remarks"/>
    public static ILoggingBuilder AddRacewayFile(this ILoggingBuilder builder, string path, Action<RacewayFileLoggerOptions>? configure = null)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(path);
        return builder.AddRacewayFile(options =>
        {
            options.Path = path;
            configure?.Invoke(options);
        });
    }
}
