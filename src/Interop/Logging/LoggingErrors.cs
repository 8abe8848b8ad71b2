using System.Globalization;

namespace Raceway.Interop.Logging;

/// <summary>Errors of log files: rule, value, remedy.</summary>
internal static class LoggingErrors
{
    public static ArgumentOutOfRangeException Capacity(int capacity) =>
        new(nameof(LogFileOptions.Capacity), capacity, $"Capacity must be a power of two from 16 to 1048576: {capacity}. 4096 suits most.");

    public static ArgumentOutOfRangeException Range(string name, long value, long least, long most) =>
        new(name, value, string.Create(CultureInfo.InvariantCulture, $"{name} must be from {least} to {most}: {value}. Choose a value in between."));

    public static ArgumentOutOfRangeException Time(string name, TimeSpan value, string range) =>
        new(name, value, $"{name} must be {range}: {value}. Choose a value in between.");

    public static ArgumentOutOfRangeException Unknown<T>(string name, T value)
        where T : struct, Enum =>
        new(name, value, $"{name} must be one of {string.Join(", ", Enum.GetNames<T>())}: {value}. Choose one of these.");

    public static ArgumentException NoPath() =>
        new("A log file needs a path: Path is empty. Give AddRacewayFile a path, or set Logging:RacewayFile:Path in the configuration.");

    public static InvalidOperationException Configuration(string key, string value, string expected) =>
        new($"Logging:RacewayFile:{key} must be of the form {expected}: '{value}'. Correct the configuration.");

    public static string FileFailed(string path, Exception cause) =>
        $"Raceway.Interop.Logging: the log file cannot be written: path='{path}': {cause.Message} Entries are dropped and counted until it can be.";

    public static string SyncFailed(string path, Exception cause) =>
        $"Raceway.Interop.Logging: the log file is written, but not synced: path='{path}': {cause.Message} A power cut may lose Critical entries until it can be.";

    public static string FormatFailed(string path, Exception cause) =>
        $"Raceway.Interop.Logging: the text of an entry could not be made: path='{path}': {cause.GetType().Name}: {cause.Message} Such entries are dropped and counted.";

    public static string NoticeFailed(string path, Exception cause) =>
        $"Raceway.Interop.Logging: the formatter failed for the line that says what was dropped: path='{path}': {cause.Message}";
}
