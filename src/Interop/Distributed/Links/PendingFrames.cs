namespace Raceway.Interop.Distributed;

/// <summary>The deliveries of a session that are not acknowledged, in the order of their tags.</summary>
/// <remarks>
/// A delivery is acknowledged when every item of it, and of all before it, has been passed by the last local stage. One that
/// held nothing new waits for the items that made it so: it may be the only copy of them that the broker still has.
/// </remarks>
internal sealed class PendingFrames
{
    // Of a delivery with items that are not all in the ring yet.
    private const long Open = long.MaxValue;

    private Entry[] _entries = new Entry[64];
    private int _head;

    /// <summary>What the oldest is called: those before it are done.</summary>
    public ulong FirstId { get; private set; }

    /// <summary>What the next one will be called.</summary>
    public ulong NextId => FirstId + (ulong)Count;

    /// <summary>How many there are.</summary>
    public int Count { get; private set; }

    /// <summary>Adds a delivery of a partition; returns what to call it by from now on.</summary>
    public ulong Add(ulong tag, int partition)
    {
        if (Count == _entries.Length) Grow();
        At(Count) = new Entry(tag, partition, Open, false);
        Count++;
        return NextId - 1;
    }

    /// <summary>It is done when the ring's sequence <paramref name="through"/> is passed.</summary>
    public void Close(ulong id, long through) => Of(id) = Of(id) with { Through = through };

    /// <summary>It was put aside: done, and not to be acknowledged.</summary>
    public void Park(ulong id) => Of(id) = Of(id) with { Through = -1, IsParked = true };

    /// <summary>How many of a partition the broker waits for, from <paramref name="id"/> on.</summary>
    public int CountFrom(ulong id, int partition)
    {
        int count = 0;
        for (int i = (int)(id - FirstId); i < Count; i++)
            if (At(i).Partition == partition && !At(i).IsParked) count++;
        return count;
    }

    /// <summary>What follows the newest delivery of those partitions that the broker waits for; what the oldest is called where
    /// there is none.</summary>
    public ulong EndOf(ReadOnlySpan<int> partitions)
    {
        int count = Count;
        while (count > 0 && (At(count - 1).IsParked || !partitions.Contains(At(count - 1).Partition))) count--;
        return FirstId + (ulong)count;
    }

    /// <summary>Takes those off that are done; the tag to acknowledge, or null for none.</summary>
    public ulong? TakeThrough(long passed)
    {
        ulong? tag = null;
        while (Count > 0 && At(0).Through <= passed)
        {
            // The broker knows a parked one no more.
            if (!At(0).IsParked) tag = At(0).Tag;
            At(0) = default;
            _head = (_head + 1) & (_entries.Length - 1);
            FirstId++;
            Count--;
        }

        return tag;
    }

    /// <summary>Forgets all: the session has ended. Calls what was added since another name.</summary>
    public void Clear()
    {
        Array.Clear(_entries);
        FirstId += (ulong)Count;
        _head = 0;
        Count = 0;
    }

    private ref Entry Of(ulong id) => ref At((int)(id - FirstId));

    private ref Entry At(int index) => ref _entries[(_head + index) & (_entries.Length - 1)];

    private void Grow()
    {
        var larger = new Entry[_entries.Length * 2];
        for (int i = 0; i < Count; i++) larger[i] = At(i);
        (_entries, _head) = (larger, 0);
    }

    private record struct Entry(ulong Tag, int Partition, long Through, bool IsParked);
}
