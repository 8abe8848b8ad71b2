namespace Raceway.Interop.Logging;

/// <summary>What a log file has done so far: a snapshot.</summary>
/// <param name="Entries">Entries written.</param>
/// <param name="Bytes">Bytes written.</param>
/// <param name="Writes">Calls of the system that wrote them.</param>
/// <param name="Dropped">Entries dropped because the buffer was full.</param>
/// <param name="Failed">Entries dropped because the file could not be written.</param>
/// <param name="Unformatted">Entries dropped because their formatter threw, on the writer's thread.</param>
/// <param name="Refused">Entries that came after disposal.</param>
/// <param name="Cut">Entries that were cut to the longest length.</param>
/// <param name="Faults">Errors of the file.</param>
/// <param name="Backlog">Entries that wait in memory.</param>
public readonly record struct LogFileStatistics(
    long Entries, long Bytes, long Writes, long Dropped, long Failed, long Unformatted, long Refused, long Cut, long Faults, long Backlog);
