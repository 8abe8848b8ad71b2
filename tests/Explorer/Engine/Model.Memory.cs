namespace Raceway.Explorer.Engine;

/// <content>What loads see, and what is known afterwards.</content>
internal sealed partial class Model
{
    private const int MostPolls = 6;

    private readonly Dictionary<nint, Location> _locations = [];
    private readonly Dictionary<nint, SlotHistory> _slots = [];
    private readonly List<(nint From, nint To)> _pinned = [];
    private readonly Stack<Location> _spareLocations = new();
    private readonly Stack<Message> _spareMessages = new();
    private readonly Stack<int[]> _spareViews = new();
    private readonly int[] _fences = new int[Views.Width];
    private int _used = Views.Threads;
    private int _reorders;
    private int _polls;

    private bool HasHistory => Mode == MemoryMode.ReleaseAcquire;

    /// <summary>Memory that no collection moves: stores there may be delayed.</summary>
    public void Pinned(nint from, nint bytes) => _pinned.Add((from, from + bytes));

    /// <summary>The location at <paramref name="address"/>; first seen with what memory holds.</summary>
    public Location At(nint address, long bits, object? reference, string file, int line)
    {
        if (_locations.TryGetValue(address, out Location? known)) return known;
        Location at = _spareLocations.Count > 0 ? _spareLocations.Pop() : new Location();
        at.Id = Views.Threads + _locations.Count;
        if (at.Id >= Views.Width) Fail("More locations than a view holds.");
        if (HasHistory) _used = at.Id + 1;
        at.IsCell = _pinned.Exists(range => address >= range.From && address < range.To);
        at.IsStatistic = Path.GetFileName(file.AsSpan()) is "StageCounters.cs" or "Waiting.cs";
        at.Name = Trace is null ? "" : $"{Path.GetFileNameWithoutExtension(file)}:{line}";
        at.Stores.Clear();
        at.Stores.Add(NewMessage(bits, reference));
        _locations.Add(address, at);
        return at;
    }

    /// <summary>A plain store has no release: nobody may rely on having seen it.</summary>
    public void CheckPlain(Location at, long bits, object? reference, ModelThread me, string file, int line)
    {
        Message newest = at.Newest;
        if (newest.Bits == bits && ReferenceEquals(newest.Reference, reference)) return;
        if (newest.Bits == bits)
        {
            // A reference may be stored plainly: that releases what the object holds, and nothing else is known by it.
            Message plain = NewMessage(bits, reference);
            if (HasHistory) at.Stores.Add(plain);
            else at.Stores[0] = plain;
            return;
        }

        Fail($"{me.Name}, {Path.GetFileName(file)}:{line}: memory holds {bits}, the last store with release was "
            + $"{newest.Bits}: somebody stores here without release.");
    }

    public Message Load(ModelThread me, Location at, bool acquire)
    {
        int newest = at.Stores.Count - 1;
        int back = 0;
        if (HasHistory && !me.Fresh && _reorders < ReorderBound && newest > me.View[at.Id])
        {
            back = _choices.Choose(newest - me.View[at.Id] + 1);
            if (back > 0)
            {
                _reorders++;
                me.SawStale = true;
            }
        }

        Message seen = at.Stores[newest - back];
        if (HasHistory) me.View[at.Id] = Math.Max(me.View[at.Id], newest - back);
        if (acquire) Views.Join(me.View, seen.View, _used);
        else Views.Join(me.Relaxed ??= NewThreadView(), seen.View, _used);
        return seen;
    }

    /// <summary>The value of a store of this thread that still waits in its buffer.</summary>
    public static bool TryForward(ModelThread me, Location at, out long bits)
    {
        bits = 0;
        bool found = false;
        foreach (Buffered store in me.Buffer)
        {
            if (store.At != at) continue;
            bits = store.Bits;
            found = true;
        }

        return found;
    }

    /// <summary>True where the store waits in its thread's buffer, so that memory must not change yet.</summary>
    public bool Delays(ModelThread me, Location at, nint address, long bits, int size)
    {
        if (Mode != MemoryMode.StoreBuffers || !at.IsCell) return false;
        if (me.Buffer.Count == 0)
        {
            if (_reorders >= ReorderBound || _choices.Choose(2) == 0) return false;
            _reorders++;
        }

        me.Buffer.Enqueue(new Buffered(at, address, bits, size, Copied(me.View), _polls));
        Note(me, "its store waits in the buffer");
        return true;
    }

    /// <summary>A store that is visible at once, and so are those that waited before it: stores keep their order.</summary>
    public void Append(ModelThread me, Location at, long bits, object? reference)
    {
        DrainBuffer(me);
        Append(at, bits, reference, me.View, me);
    }

    public void Fence(ModelThread me)
    {
        DrainBuffer(me);
        Views.Join(me.View, _fences, _used);
        Views.Join(_fences, me.View, _used);
    }

    /// <summary>Every thread passes a full fence.</summary>
    public void FenceProcessWide()
    {
        // Those that have ended too: to end is to leave the processor, and all that they did came before.
        foreach (ModelThread thread in _threads)
        {
            DrainBuffer(thread);
            Views.Join(_fences, thread.View, _used);
        }

        foreach (ModelThread thread in _threads)
            if (!thread.Done) Views.Join(thread.View, _fences, _used);
    }

    /// <summary>Loads so far, those without acquire too, come before what follows.</summary>
    public void ReadBarrier(ModelThread me)
    {
        if (me.Relaxed is not { } relaxed) return;
        Views.Join(me.View, relaxed, _used);
        relaxed.AsSpan(0, _used).Clear();
    }

    /// <summary>A place where two threads meet that is no memory: a task, a lock. Everything before is known after.</summary>
    public void Meet(ModelThread me, ref int[]? known)
    {
        Views.Join(known ??= NewView(), me.View, _used);
        Views.Join(me.View, known, _used);
        _stores++;
    }

    /// <summary>What is known by who takes over.</summary>
    public void Learn(ModelThread me, int[]? known)
    {
        if (known is not null) Views.Join(me.View, known, _used);
    }

    private void Append(Location at, long bits, object? reference, int[] view, ModelThread me)
    {
        Message store;
        if (HasHistory)
        {
            store = NewMessage(bits, reference);
            at.Stores.Add(store);
            view[at.Id] = at.Stores.Count - 1;
        }
        else
        {
            store = at.Stores[0];
            (store.Bits, store.Reference) = (bits, reference);
        }

        Views.Copy(view, store.View, _used);
        _stores++;
        me.Fresh = false;
    }

    /// <summary>A view of its own for something that may outlive the execution. Where no location has a history, it is of clocks alone.</summary>
    private int[] NewView() => new int[HasHistory ? Views.Width : Views.Threads];

    private int[] Copied(int[] view)
    {
        int[] copy = NewView();
        Views.Copy(view, copy, _used);
        return copy;
    }

    // Views of threads are most of what an execution needs, and fresh memory costs more than the execution itself.
    private int[] NewThreadView() => _spareViews.TryPop(out int[]? spare) ? spare : new int[Views.Width];

    private void TakeBack(ModelThread thread)
    {
        TakeBack(thread.View);
        if (thread.Relaxed is { } relaxed) TakeBack(relaxed);
    }

    // Only what has been used is not zero.
    private void TakeBack(int[] view)
    {
        view.AsSpan(0, _used).Clear();
        _spareViews.Push(view);
    }

    private Message NewMessage(long bits, object? reference)
    {
        Message message = _spareMessages.Count > 0 ? _spareMessages.Pop() : new Message { View = new int[Views.Width] };
        (message.Bits, message.Reference) = (bits, reference);
        return message;
    }

    // Stores become visible in the end, however long others poll for them.
    private void DrainOldBuffers()
    {
        _polls++;
        foreach (ModelThread thread in _threads)
            while (thread.Buffer.TryPeek(out Buffered oldest) && _polls - oldest.Polls > MostPolls) FlushOne(thread);
    }

    // While its owner runs alone it makes no difference when a buffer drains.
    private int CountBuffers(ModelThread? me)
    {
        int count = 0;
        foreach (ModelThread thread in _threads)
            if (thread.Buffer.Count > 0 && thread != me) count++;
        return count;
    }

    private void FlushBuffer(int index, ModelThread? me)
    {
        foreach (ModelThread thread in _threads)
        {
            if (thread.Buffer.Count == 0 || thread == me || index-- > 0) continue;
            FlushOne(thread);
            return;
        }
    }

    private bool DrainAnyBuffer()
    {
        bool any = false;
        foreach (ModelThread thread in _threads)
        {
            any |= thread.Buffer.Count > 0;
            DrainBuffer(thread);
        }

        return any;
    }

    public void DrainBuffer(ModelThread thread)
    {
        while (thread.Buffer.Count > 0) FlushOne(thread);
    }

    // SAFETY: only stores to pinned memory are delayed, and whoever pinned it lives as long as the execution.
    private unsafe void FlushOne(ModelThread thread)
    {
        Buffered store = thread.Buffer.Dequeue();
        Append(store.At, store.Bits, null, store.View, thread);
        if (store.Size == sizeof(long)) *(long*)store.Address = store.Bits;
        else *(int*)store.Address = (int)store.Bits;
        Note(thread, $"its store of {store.Bits} to {store.At.Name} becomes visible");
    }

    private void ResetMemory()
    {
        foreach (Location location in _locations.Values)
        {
            foreach (Message message in location.Stores)
            {
                // Only what has been used is not zero.
                message.View.AsSpan(0, _used).Clear();
                message.Reference = null;
                _spareMessages.Push(message);
            }

            location.Stores.Clear();
            _spareLocations.Push(location);
        }

        _locations.Clear();
        _slots.Clear();
        _pinned.Clear();
        Array.Clear(_fences);
        _used = Views.Threads;
        (_stores, _reorders, _polls) = (0, 0, 0);
    }
}
