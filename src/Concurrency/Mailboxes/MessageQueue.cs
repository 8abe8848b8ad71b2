using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Raceway.Rings;

namespace Raceway.Concurrency;

/// <summary>The messages of a mailbox: many posters, one taker.</summary>
/// <remarks>
/// <para>One word is the next sequence, whether the taker is idle, and whether the mailbox is closed. A poster takes a
/// sequence by one atomic operation on it (fetch-add; compare-and-swap where a bound is to be kept), writes its message into
/// the slot of that sequence and stamps it. The same operation tells it that the taker is idle: then it wakes it. So there is
/// no second fence, and no wake-up that could be missed: the taker sets the bit only while no sequence is taken that it has
/// not handled, by compare-and-swap on the very same word.</para>
/// <para>Slots lie in chunks, linked as they are needed and taken from a pool (<see cref="ChunkPool{T}"/>): the longer
/// the backlog, the longer the next one. The taker does not look at the posters' word while messages come: it scans stamps,
/// as many at a time as a vector holds, and is given spans.</para>
/// <para>Sources: fetch-add claims on linked arrays as in Morrison and Afek, "Fast concurrent queues for x86 processors"
/// (2013), and JCTools' MpscUnboundedXaddArrayQueue; here a claim comes before the look-up of its chunk, which therefore
/// needs no hazard pointers.</para>
/// </remarks>
internal sealed class MessageQueue<T>
{
    /// <summary>The bound of a queue without one.</summary>
    public const long Unbounded = long.MaxValue;

    private const long Idle = 1;
    private const long Closed = 2;
    private const int FlagBits = 2;
    private const long One = 1 << FlagBits;
    private const int FirstSlots = 16;

    private readonly Lock _gate = new();
    private readonly long _bound;
    private QueueLines _lines; // mutable struct: never readonly

    // Where posters look first. Changed once a chunk.
    private Chunk<T> _current;

    // Under the gate: the oldest in use, the newest, and objects without memory.
    private Chunk<T> _oldest;
    private Chunk<T> _newest;
    private Chunk<T>? _spare;

    public MessageQueue(RingMemory cells, long bound)
    {
        _bound = bound;
        _current = _oldest = _newest = new Chunk<T>();
        _current.Begin(0, ChunkPool<T>.Rent(FirstSlots));
        Bell = new Progress(cells, 0, staysParking: true);
        Room = new Progress(cells, 0, staysParking: true);
        _lines.Limit = bound;
    }

    /// <summary>Rung by a poster that meets an idle taker: one past its sequence.</summary>
    public Progress Bell { get; }

    /// <summary>One past the last sequence with a slot that is free again.</summary>
    public Progress Room { get; }

    /// <summary>The next sequence to be taken out. The taker's.</summary>
    public long Position => _lines.Position;

    /// <summary>One past the last sequence that was accepted. Final once it is closed.</summary>
    public long Posted => (Volatile.Read(ref _lines.Tail) & Closed) != 0 ? Volatile.Read(ref _lines.Final) : Volatile.Read(ref _lines.Tail) >> FlagBits;

    /// <summary>Messages that wait or are being handled: a snapshot.</summary>
    public long Count => Math.Max(0, Posted - Room.ReadAcquire());

    /// <summary>Posts, unless it is full or closed.</summary>
    public ClaimStatus TryPost(T message, out long sequence)
    {
        // Looked up before the claim, so that these loads need not wait for the atomic operation. A range that holds the
        // sequence stays until its message is there, so it does not matter when it was read; arrays after the range.
        Chunk<T> chunk = Volatile.Read(ref _current);
        long range = chunk.Range;
        T[] items = chunk.Items;
        byte[] stamps = chunk.Stamps;
        long word;
        if (_bound == Unbounded) word = Interlocked.Add(ref _lines.Tail, One) - One;
        else if (!TryTakeRoom(out word))
        {
            sequence = word >> FlagBits;
            return ClaimStatus.Full;
        }

        sequence = word >> FlagBits;
        bool rings = false;
        if ((word & (Idle | Closed)) != 0)
        {
            // A sequence taken after the closing has no message.
            if ((word & Closed) != 0) return ClaimStatus.Stopped;
            // Of several posters that saw the bit one takes it away. (Where a bound is kept it went with the claim.)
            rings = _bound != Unbounded || (Interlocked.And(ref _lines.Tail, ~Idle) & Idle) != 0;
        }

        if (!Chunk<T>.Holds(range, sequence, out int index))
        {
            chunk = Find(sequence, out index);
            items = chunk.Items;
            stamps = chunk.Stamps;
        }

        // SAFETY: the chunk holds the sequence at this index, and is not given up before its stamp is set.
        Unsafe.Add(ref MemoryMarshal.GetArrayDataReference(items), index) = message;
        // ORDER: release; pairs with Peek: a thread that sees the stamp sees the message.
        Volatile.Write(ref Unsafe.Add(ref MemoryMarshal.GetArrayDataReference(stamps), index), 1);
        if (rings) Bell.AdvanceTo(sequence + 1);
        return ClaimStatus.Done;
    }

    /// <summary>What a poster that found no room waits for: some of it, so that it is not woken for every message.</summary>
    public long RoomFor(long sequence) => sequence - _bound + 1 + Math.Min(_bound / 4, 256);

    /// <summary>Lets no message in any more; what was accepted before is <see cref="Posted"/>. Once.</summary>
    public void Close()
    {
        // ORDER: the end is stored before the taker can see the bit that makes it look there: the taker looks after the control word
        // has changed, snapshots may read 0 for a moment.
        long word = Interlocked.Or(ref _lines.Tail, Closed);
        Volatile.Write(ref _lines.Final, word >> FlagBits);
    }

    /// <summary>Tells posters to wake the taker, if there is nothing that it has not taken out. The taker's.</summary>
    public bool TryRest()
    {
        long empty = _lines.Position << FlagBits;
        long seen = Interlocked.CompareExchange(ref _lines.Tail, empty | Idle, empty);
        return seen == empty || seen == (empty | Idle);
    }

    /// <summary>Whether a sequence is taken and its message is not there yet (or has just come). The taker's.</summary>
    public bool IsAwaited => Posted > _lines.Position;

    /// <summary>The messages that are there in a row, at most <paramref name="most"/>. The taker's.</summary>
    /// <param name="most">1 or more.</param>
    /// <param name="more">Whether another one is there behind them.</param>
    public Span<T> Peek(int most, out bool more)
    {
        Chunk<T> chunk = _oldest;
        if (_lines.Index == chunk.Items.Length && !TryMoveOn(ref chunk))
        {
            more = false;
            return default;
        }

        int index = _lines.Index;
        byte[] stamps = chunk.Stamps;
        int limit = Math.Min(most, stamps.Length - index);
        int count = stamps.AsSpan(index, limit).IndexOf((byte)0);
        if (count < 0) count = limit;
        // ORDER: acquire for the plain loads of the scan; pairs with the release of the stamps.
        Volatile.ReadBarrier();
        int end = index + count;
        more = count == limit && (end < stamps.Length ? Volatile.Read(ref stamps[end]) != 0 : Volatile.Read(ref chunk.Next) is not null);
        return new Span<T>(chunk.Items, index, count);
    }

    /// <summary>The same memory, for a taker that keeps it until <see cref="Release"/>.</summary>
    public ReadOnlyMemory<T> Lend(int count) => new(_oldest.Items, _lines.Index, count);

    /// <summary>Gives the slots of the first <paramref name="count"/> messages back. The taker's.</summary>
    public void Release(int count)
    {
        if (RuntimeHelpers.IsReferenceOrContainsReferences<T>()) Array.Clear(_oldest.Items, _lines.Index, count);
        _lines.Index += count;
        _lines.Position += count;
        Room.Advance(_lines.Position);
    }

    /// <summary>Gives the memory back, when everything posted has been taken out and no thread posts any more.</summary>
    public void Dispose()
    {
        for (Chunk<T>? chunk = _oldest; chunk is not null;)
        {
            Chunk<T>? next = chunk.Next;
            ChunkPool<T>.Return(chunk.EndLife());
            chunk = next;
        }
    }

    private bool TryTakeRoom(out long word)
    {
        word = Volatile.Read(ref _lines.Tail);
        while ((word & Closed) == 0)
        {
            long sequence = word >> FlagBits;
            // The limit is remembered beside the word, so that the taker's line is read once in a while. It may be stored
            // twice in the wrong order, and then is too low, never too high.
            if (sequence >= Volatile.Read(ref _lines.Limit))
            {
                long limit = Room.ReadAcquire() + _bound;
                Volatile.Write(ref _lines.Limit, limit);
                if (sequence >= limit) return false;
            }

            long seen = Interlocked.CompareExchange(ref _lines.Tail, (word + One) & ~Idle, word);
            if (seen == word) return true;
            word = seen;
        }

        return true;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private Chunk<T> Find(long sequence, out int index)
    {
        int found;
        Chunk<T>? chunk;
        lock (_gate)
        {
            while (sequence >= _newest.End) Append(sequence);
            for (chunk = _oldest; !Chunk<T>.Holds(chunk!.Range, sequence, out found);) chunk = chunk.Next;
        }

        index = found;
        return chunk;
    }

    private void Append(long sequence)
    {
        // As long as the backlog: a short one stays in the nearest cache, a long one is not walked in small steps.
        long backlog = sequence - Room.ReadAcquire();
        var slots = (int)BitOperations.RoundUpToPowerOf2((uint)Math.Clamp(backlog, ChunkPool<T>.UsualSlots, ChunkPool<T>.MostSlots));
        Chunk<T> chunk = _spare ?? new Chunk<T>();
        _spare = chunk.Next;
        chunk.Begin(_newest.End, ChunkPool<T>.Rent(slots));
        // ORDER: release; pairs with TryMoveOn.
        Volatile.Write(ref _newest.Next, chunk);
        _newest = chunk;
        Volatile.Write(ref _current, chunk);
    }

    private bool TryMoveOn(ref Chunk<T> chunk)
    {
        Chunk<T>? next = Volatile.Read(ref chunk.Next);
        if (next is null) return false;
        ChunkMemory<T> memory;
        lock (_gate)
        {
            _oldest = next;
            memory = chunk.EndLife();
            chunk.Next = _spare;
            _spare = chunk;
        }

        ChunkPool<T>.Return(memory);
        _lines.Index = 0;
        chunk = next;
        return true;
    }
}

/// <summary>What posters write and what the taker writes, on cache lines of their own, and on pairs of them.</summary>
[StructLayout(LayoutKind.Explicit, Size = 408)]
internal struct QueueLines
{
    /// <summary>The next sequence, and two flags.</summary>
    [FieldOffset(128)]
    public long Tail;

    /// <summary>Below it there is room for sure.</summary>
    [FieldOffset(136)]
    public long Limit;

    /// <summary>Once closed: one past the last sequence accepted.</summary>
    [FieldOffset(144)]
    public long Final;

    /// <summary>The next sequence to be taken out.</summary>
    [FieldOffset(272)]
    public long Position;

    /// <summary>Where that is in the oldest chunk.</summary>
    [FieldOffset(280)]
    public int Index;
}
