using Microsoft.Extensions.Logging;
using Raceway.Rings;

namespace Raceway.Interop.Logging.Writing;

/// <summary>An entry in the ring: its bytes, or what the writer makes them from.</summary>
internal struct LogSlot
{
    public Payload Bytes;
    public long Ticket;
    public LogLevel Level;

    /// <summary>Has what the writer makes it from. Null: its bytes are there.</summary>
    public EntryKeeper? Keeper;

    /// <summary>If it is kept: when it came.</summary>
    public DateTimeOffset Time;

    /// <summary>Where its bytes are.</summary>
    public static ref Payload BytesOf(ref LogSlot slot) => ref slot.Bytes;
}

/// <summary>Numbers entries from 1 on. By one thread at a time, whole for those that read it.</summary>
internal sealed class Tickets
{
    private long _last;

    /// <summary>The number of the entry published last.</summary>
    public long Last => Volatile.Read(ref _last);

    public long Next()
    {
        long next = _last + 1;
        Volatile.Write(ref _last, next);
        return next;
    }
}
