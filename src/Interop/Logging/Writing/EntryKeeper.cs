namespace Raceway.Interop.Logging.Writing;

/// <summary>Keeps what an entry is made from, until the writer makes it.</summary>
/// <remarks><b>Threads</b>: the one that has it: the publisher of its slot, then the writer.</remarks>
internal abstract class EntryKeeper
{
    /// <summary>Makes the entry.</summary>
    public abstract void Format(EntryWriter writer);

    /// <summary>Lets go of what it has kept, and goes back to its pool.</summary>
    public abstract void Return();
}

/// <inheritdoc/>
/// <typeparam name="TState">What the entry is made from.</typeparam>
internal sealed class EntryKeeper<TState>(KeeperPool<TState> pool) : EntryKeeper
{
    private TState? _state;
    private EntryFormat<TState>? _format;

    /// <summary>Behind it in its pool.</summary>
    internal EntryKeeper<TState>? Next { get; set; }

    public void Keep(in TState state, EntryFormat<TState> format) => (_state, _format) = (state, format);

    public override void Format(EntryWriter writer) => _format!(_state!, writer);

    public override void Return()
    {
        (_state, _format) = (default, null);
        pool.Return(this);
    }
}

/// <summary>The keepers of a file for one type of state: as many as its buffer has ever had at once.</summary>
/// <remarks>
/// <b>Threads</b>: one at a time takes, as slots are filled by one thread at a time; the writer returns. So what is returned is a list
/// that the writer adds to and the taker takes as a whole. A keeper cannot come back to it in between.
/// </remarks>
/// <typeparam name="TState">The type.</typeparam>
internal sealed class KeeperPool<TState>
{
    private EntryKeeper<TState>? _free; // the taker's
    private EntryKeeper<TState>? _returned;

    public EntryKeeper<TState> Take()
    {
        // ORDER: full; pairs with Return: a keeper is seen as the writer has left it.
        EntryKeeper<TState>? taken = _free ?? Interlocked.Exchange(ref _returned, null);
        if (taken is null) return new EntryKeeper<TState>(this);
        _free = taken.Next;
        taken.Next = null;
        return taken;
    }

    public void Return(EntryKeeper<TState> keeper)
    {
        EntryKeeper<TState>? first;
        do
        {
            first = Volatile.Read(ref _returned);
            keeper.Next = first;
        }
        // ORDER: full; pairs with Take.
        while (Interlocked.CompareExchange(ref _returned, keeper, first) != first);
    }
}

/// <summary>The pools of a file: one for each type of state, of the first few types that come.</summary>
/// <remarks><b>Threads</b>: any.</remarks>
internal sealed class KeeperPools
{
    /// <summary>So many types. Entries of further ones are formatted by their callers.</summary>
    public const int Most = 8;

    private readonly Lock _adding = new();
    private object[] _pools = [];

    /// <summary>The pool of a type; null if there are as many already.</summary>
    public KeeperPool<TState>? Of<TState>()
    {
        object[] pools = Volatile.Read(ref _pools);
        foreach (object pool in pools)
            if (pool is KeeperPool<TState> found) return found;
        return pools.Length < Most ? Add<TState>() : null;
    }

    private KeeperPool<TState>? Add<TState>()
    {
        lock (_adding)
        {
            if (Array.Find(_pools, static pool => pool is KeeperPool<TState>) is KeeperPool<TState> found) return found;
            if (_pools.Length >= Most) return null;
            var added = new KeeperPool<TState>();
            Volatile.Write(ref _pools, [.. _pools, added]);
            return added;
        }
    }
}
