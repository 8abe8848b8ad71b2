
namespace Raceway.Interop.Logging;

/// <summary>The log file of a host, as <c>Logging:RacewayFile</c> of its configuration and its code say.</summary>
public class RacewayFileLoggerOptions : LogFileOptions
{
    /// <summary>The file.</summary>
    public string? Path { get; set; }

    /// <summary>How an entry is written. Default: a line of text.</summary>
    public LogFormat Format { get; set; } = LogFormat.Text;

    /// <summary>Writes entries in a form of your own, instead of <see cref="Format"/>.</summary>
    public EntryFormatter? Formatter { get; set; }

    /// <summary>Whether entries have their scopes. Default: false.</summary>
    public bool IncludeScopes { get; set; }

    /// <summary>The tag <c>raceway.log.name</c> of its metrics. Default: <c>file</c>; null: there are none.</summary>
    public string? MeterName { get; set; } = "file";
}

/// <summary>The forms of an entry.</summary>
public enum LogFormat
{
    /// <summary>A line of text; an exception follows on lines of its own.</summary>
    Text,

    /// <summary>An object of JSON on a line.</summary>
    Json,
}
