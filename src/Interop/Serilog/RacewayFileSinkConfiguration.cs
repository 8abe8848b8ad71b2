using Raceway.Interop.Logging;
using Raceway.Interop.Serilog;
using Serilog.Configuration;
using Serilog.Core;
using Serilog.Debugging;
using Serilog.Events;
using Serilog.Formatting;
using Serilog.Formatting.Display;

// Where users of WriteTo look for it.
namespace Serilog;

/// <summary>Adds a log file to a Serilog logger.</summary>
/// <example>
/// <code>
/// Log.Logger = new LoggerConfiguration()
///     .WriteTo.RacewayFile("logs/shop.log", new LogFileOptions { RollDaily = true })
///     .CreateLogger();
/// </code>
/// </example>
public static class RacewayFileSinkConfiguration
{
    private const string DefaultTemplate = "{Timestamp:yyyy-MM-dd HH:mm:ss.fff zzz} [{Level:u3}] {Message:lj}{NewLine}{Exception}";

    /// <summary>Writes events to a file, formatted by a template.</summary>
    /// <remarks>Fatal is what <see cref="LogFileOptions"/> call Critical. Disposing of the logger (<c>Log.CloseAndFlush</c>) writes all that was logged.</remarks>
    /// <param name="sinkConfiguration">The logger's.</param>
    /// <param name="path">The file.</param>
    /// <param name="options">How it is buffered, written and rolled. Without a <see cref="LogFileOptions.SelfLog"/>, errors go to Serilog's.</param>
    /// <param name="outputTemplate">The template, as of Serilog's own file sink.</param>
    /// <param name="formatProvider">For values of the template.</param>
    /// <param name="restrictedToMinimumLevel">The lowest level.</param>
    /// <param name="levelSwitch">The same, changeable while running.</param>
    /// <exception cref="ArgumentException">The path is empty, or an option is out of range.</exception>
    public static LoggerConfiguration RacewayFile(
        this LoggerSinkConfiguration sinkConfiguration,
        string path,
        LogFileOptions? options = null,
        string outputTemplate = DefaultTemplate,
        IFormatProvider? formatProvider = null,
        LogEventLevel restrictedToMinimumLevel = LevelAlias.Minimum,
        LoggingLevelSwitch? levelSwitch = null) =>
        sinkConfiguration.RacewayFile(
            new MessageTemplateTextFormatter(outputTemplate, formatProvider), path, options, restrictedToMinimumLevel, levelSwitch);

    /// <summary>Writes events to a file, in a form of your own, such as JSON.</summary>
    /// <param name="sinkConfiguration">The logger's.</param>
    /// <param name="formatter">Makes the text of an event. An event that is too long is cut, whatever its form.</param>
    /// <param name="path">The file.</param>
    /// <param name="options">How it is buffered, written and rolled. Without a <see cref="LogFileOptions.SelfLog"/>, errors go to Serilog's.</param>
    /// <param name="restrictedToMinimumLevel">The lowest level.</param>
    /// <param name="levelSwitch">The same, changeable while running.</param>
    /// <exception cref="ArgumentException">The path is empty, or an option is out of range.</exception>
    public static LoggerConfiguration RacewayFile(
        this LoggerSinkConfiguration sinkConfiguration,
        ITextFormatter formatter,
        string path,
        LogFileOptions? options = null,
        LogEventLevel restrictedToMinimumLevel = LevelAlias.Minimum,
        LoggingLevelSwitch? levelSwitch = null)
    {
        ArgumentNullException.ThrowIfNull(sinkConfiguration);
        ArgumentNullException.ThrowIfNull(formatter);
        options = (options ?? new LogFileOptions()).Copy();
        options.SelfLog ??= static line => SelfLog.WriteLine("{0}", line);
        return sinkConfiguration.Sink(new RacewayFileSink(formatter, path, options), restrictedToMinimumLevel, levelSwitch);
    }
}
