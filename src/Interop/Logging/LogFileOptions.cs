using Microsoft.Extensions.Logging;
using Raceway.Interop.Logging.Files;

namespace Raceway.Interop.Logging;

/// <summary>How a log file is buffered, written and rolled. Everything has a default.</summary>
/// <remarks>Read once, when the file is made: later changes have no effect.</remarks>
public class LogFileOptions
{
    /// <summary>The shortest entry that may be the longest, in bytes.</summary>
    internal const int LeastEntryBytes = 256;

    private const int MostEntryBytes = 16 << 20;

    /// <summary>Entries that wait in memory at most: a power of two from 16 to 2²⁰. Default: 4,096.</summary>
    public int Capacity { get; set; } = 4096;

    /// <summary>The longest entry in bytes. What is longer is cut, and ends in <c>[cut]</c>. Default: 16 KiB; from 256 to 16 MiB.</summary>
    public int MaxEntryBytes { get; set; } = 16 << 10;

    /// <summary>What happens to an entry if <see cref="Capacity"/> entries wait already. Default: the caller waits.</summary>
    public LogOverflow Overflow { get; set; } = LogOverflow.Wait;

    /// <summary>The lowest level that <see cref="LogOverflow.DropBelow"/> keeps. Default: Warning.</summary>
    public LogLevel KeepFrom { get; set; } = LogLevel.Warning;

    /// <summary>
    /// How long an entry may wait in memory until it is written. Default: 1 s. Zero: it is written at once, and each entry of a quiet
    /// time wakes the writer.
    /// </summary>
    public TimeSpan FlushInterval { get; set; } = TimeSpan.FromSeconds(1);

    /// <summary>What has become of a Critical entry when its call returns. Default: the system has it.</summary>
    public LogDurability Critical { get; set; } = LogDurability.Written;

    /// <summary>
    /// The longest time that a Critical entry, <see cref="LogFile.Flush()"/> and disposal wait for the file, by the system's clock. Default: 10 s.
    /// </summary>
    public TimeSpan FlushTimeout { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>The largest file in bytes: then the next one begins. Default: null, no limit.</summary>
    public long? MaxFileBytes { get; set; }

    /// <summary>Whether each day has a file of its own, with the date in its name. Default: false.</summary>
    public bool RollDaily { get; set; }

    /// <summary>How many files stay, the current one included; older ones are deleted. Default: null, all.</summary>
    public int? RetainedFiles { get; set; }

    /// <summary>Whether times and days are local. Default: false, they are UTC.</summary>
    public bool LocalTime { get; set; }

    /// <summary>
    /// Is told in one line that the file cannot be written or synced, once until it can be again; and once a batch that an entry could not
    /// be formatted (<see cref="LogFile.WriteLater"/>). Runs on the writer's thread; it may log.
    /// Default: null, the line goes to the standard error stream.
    /// </summary>
    public Action<string>? SelfLog { get; set; }

    /// <summary>The clock of timestamps, days and <see cref="FlushInterval"/>. Default: the system's.</summary>
    public TimeProvider Time { get; set; } = TimeProvider.System;

    /// <summary>What the file is written by.</summary>
    internal LogDisk Disk { get; set; } = LogDisk.System;

    /// <summary>Options of the same values: a file keeps such a copy, so that later changes have no effect.</summary>
    public LogFileOptions Copy() => (LogFileOptions)MemberwiseClone();

    /// <summary>Throws for the first value that is wrong.</summary>
    internal void Check()
    {
        ArgumentNullException.ThrowIfNull(Time);
        if (Capacity is < 16 or > 1 << 20 || (Capacity & (Capacity - 1)) != 0) throw LoggingErrors.Capacity(Capacity);
        if (MaxEntryBytes is < LeastEntryBytes or > MostEntryBytes) throw LoggingErrors.Range(nameof(MaxEntryBytes), MaxEntryBytes, LeastEntryBytes, MostEntryBytes);
        if (!Enum.IsDefined(Overflow)) throw LoggingErrors.Unknown(nameof(Overflow), Overflow);
        if (!Enum.IsDefined(Critical)) throw LoggingErrors.Unknown(nameof(Critical), Critical);
        if (!Enum.IsDefined(KeepFrom)) throw LoggingErrors.Unknown(nameof(KeepFrom), KeepFrom);
        if (FlushInterval < TimeSpan.Zero || FlushInterval > TimeSpan.FromHours(1)) throw LoggingErrors.Time(nameof(FlushInterval), FlushInterval, "from 0 to an hour");
        if (FlushTimeout <= TimeSpan.Zero || FlushTimeout > TimeSpan.FromHours(1)) throw LoggingErrors.Time(nameof(FlushTimeout), FlushTimeout, "above 0, and an hour at most");
        if (MaxFileBytes is { } bytes && bytes < MaxEntryBytes) throw LoggingErrors.Range(nameof(MaxFileBytes), bytes, MaxEntryBytes, long.MaxValue);
        if (RetainedFiles is < 1) throw LoggingErrors.Range(nameof(RetainedFiles), RetainedFiles.Value, 1, int.MaxValue);
    }
}

/// <summary>
/// What happens to an entry that finds the buffer full. A Critical entry waits in any case: where others of its level would be dropped, for
/// <see cref="LogFileOptions.FlushTimeout"/> at most.
/// </summary>
public enum LogOverflow
{
    /// <summary>Its caller waits for room.</summary>
    Wait,

    /// <summary>It is dropped and counted; the file says how many were.</summary>
    DropNewest,

    /// <summary>It is dropped and counted if its level is below <see cref="LogFileOptions.KeepFrom"/>. Otherwise its caller waits.</summary>
    DropBelow,
}

/// <summary>How far an entry has come.</summary>
public enum LogDurability
{
    /// <summary>Written to the file: it survives the end of the process.</summary>
    Written,

    /// <summary>Synced to the disk as well: it survives a power cut. The name of a new file is left to the file system, which commonly
    /// writes it with the first sync of the file.</summary>
    Synced,
}
