namespace Raceway.Completing;

/// <summary>The objects of one pool that wait to be used again.</summary>
/// <remarks>
/// <para>
/// Magazines (Bonwick and Adams, "Magazines and Vmem", 2001): a thread takes from and gives back to a magazine of its own,
/// without any atomic operation, and only full magazines pass through the depot that all threads share, under a lock. So
/// it does not matter that one thread rents what another returns.
/// </para>
/// <para>
/// <b>Bounded</b>: the depot keeps <see cref="MaxIdle"/> objects, every thread up to two magazines more; what is beyond is
/// left to the garbage collector. A thread that ends takes its magazines with it.
/// </para>
/// <para><b>Threads</b>: any. <b>Cost</b>: a few nanoseconds; one lock for 64 objects where they change threads.</para>
/// <para>
/// Not generic, on purpose: a thread's own field in a class that is generic over reference types is looked up at run time,
/// which costs several times as much as all the rest here.
/// </para>
/// </remarks>
internal sealed class Magazines
{
    private const int Size = 64;
    private const int MaxCount = MaxIdle / Size;

    /// <summary>The most that the depot keeps.</summary>
    internal const int MaxIdle = 16_384;

    private static int s_pools;

    [ThreadStatic]
    private static Mine?[]? t_mine;

    private readonly Lock _gate = new();
    private readonly Pooled?[] _depot = new Pooled?[MaxCount];
    private readonly int _id = Interlocked.Increment(ref s_pools) - 1;
    private int _count;

    /// <summary>One that was given back and has no other user; null if there is none.</summary>
    public Pooled? Take()
    {
        Mine mine = Own();
        Pooled? item = mine.Loaded;
        if (item is null && (item = Reload(mine)) is null) return null;
        mine.Loaded = item.Next;
        mine.Count--;
        return item;
    }

    /// <summary>Gives one back. It must not be used any more.</summary>
    public void Put(Pooled item)
    {
        Mine mine = Own();
        if (mine.Count == Size) Unload(mine);
        item.Next = mine.Loaded;
        mine.Loaded = item;
        mine.Count++;
    }

    private Mine Own()
    {
        Mine?[]? mine = t_mine;
        return mine is not null && (uint)_id < (uint)mine.Length && mine[_id] is { } own ? own : NewOwn();
    }

    private Mine NewOwn()
    {
        if (t_mine is null || t_mine.Length <= _id) Array.Resize(ref t_mine, Math.Max(8, 2 * _id + 1));
        return t_mine[_id] = new Mine();
    }

    // Two magazines a thread: one that goes up and down by one at the border does not go to the depot each time.
    private Pooled? Reload(Mine mine)
    {
        Pooled? full = mine.Full;
        mine.Full = null;
        if (full is null)
        {
            lock (_gate)
            {
                if (_count == 0) return null;
                full = _depot[--_count];
                _depot[_count] = null;
            }
        }

        mine.Loaded = full;
        mine.Count = Size;
        return full;
    }

    private void Unload(Mine mine)
    {
        if (mine.Full is { } full)
        {
            lock (_gate)
            {
                if (_count < MaxCount) _depot[_count++] = full;
            }
        }

        mine.Full = mine.Loaded;
        mine.Loaded = null;
        mine.Count = 0;
    }

    private sealed class Mine
    {
        /// <summary>What is taken from and given to, with <see cref="Count"/> objects.</summary>
        public Pooled? Loaded;

        /// <summary>A full one, or none.</summary>
        public Pooled? Full;

        public int Count;
    }
}
