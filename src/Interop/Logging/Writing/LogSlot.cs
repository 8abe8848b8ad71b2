using Microsoft.Extensions.Logging;
using Raceway.Rings;

namespace Raceway.Interop.Logging.Writing;

/// <summary>An entry in the ring: its bytes, and what the writer must know of them.</summary>
internal struct LogSlot
{
    public Payload Bytes;
    public long Ticket;
    public LogLevel Level;

    /// <summary>Where its bytes are.</summary>
    public static ref Payload BytesOf(ref LogSlot slot) => ref slot.Bytes;
}

/// <summary>An entry on its way into a slot.</summary>
/// <param name="bytes">The whole entry, formatted.</param>
/// <param name="level">Its level.</param>
/// <param name="tickets">Numbers entries in the order of their slots.</param>
/// <param name="ticket">Gets the entry's number.</param>
internal readonly ref struct NewEntry(ReadOnlySpan<byte> bytes, LogLevel level, Tickets tickets, ref long ticket)
{
    private readonly ReadOnlySpan<byte> _bytes = bytes;
    private readonly ref long _ticket = ref ticket;

    /// <summary>Fills a slot: called by one thread at a time, in the order of the slots.</summary>
    public void Fill(ref LogSlot slot)
    {
        slot.Bytes.Write(_bytes);
        slot.Level = level;
        _ticket = slot.Ticket = tickets.Next();
    }
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
