using Microsoft.Extensions.Logging;

namespace Raceway.Interop.Logging.Writing;

/// <summary>An entry on its way into a slot.</summary>
internal interface INewEntry
{
    /// <summary>Fills a slot: called by one thread at a time, in the order of the slots.</summary>
    void Fill(ref LogSlot slot);
}

/// <summary>One that its caller has formatted.</summary>
/// <param name="bytes">The whole entry.</param>
/// <param name="level">Its level.</param>
/// <param name="tickets">Numbers entries in the order of their slots.</param>
/// <param name="ticket">Gets the entry's number.</param>
internal readonly ref struct FormattedEntry(ReadOnlySpan<byte> bytes, LogLevel level, Tickets tickets, ref long ticket) : INewEntry
{
    private readonly ReadOnlySpan<byte> _bytes = bytes;
    private readonly ref long _ticket = ref ticket;

    public void Fill(ref LogSlot slot)
    {
        slot.Bytes.Write(_bytes);
        (slot.Level, slot.Keeper) = (level, null);
        _ticket = slot.Ticket = tickets.Next();
    }
}

/// <summary>One that the writer formats.</summary>
/// <param name="state">What it is made from.</param>
/// <param name="format">Makes it.</param>
/// <param name="level">Its level.</param>
/// <param name="time">When it came.</param>
/// <param name="pool">Has keepers for its type.</param>
/// <param name="tickets">Numbers entries in the order of their slots.</param>
internal readonly ref struct KeptEntry<TState>(
    ref readonly TState state, EntryFormat<TState> format, LogLevel level, DateTimeOffset time, KeeperPool<TState> pool, Tickets tickets) : INewEntry
{
    private readonly ref readonly TState _state = ref state;

    public void Fill(ref LogSlot slot)
    {
        EntryKeeper<TState> keeper = pool.Take();
        keeper.Keep(in _state, format);
        (slot.Level, slot.Keeper, slot.Time) = (level, keeper, time);
        slot.Ticket = tickets.Next();
    }
}
