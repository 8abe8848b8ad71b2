using System.Diagnostics;

namespace Raceway.Rings;

/// <summary>Units that are ready to be stepped, and the few work items of the thread pool that step them.</summary>
/// <remarks>
/// <para>A unit is in it at most once, however many items wait for it; it joins at the back, so that every other ready unit
/// is stepped in between. A work item takes one unit after another; after the time of a slice it goes to the end of
/// the pool's own queue, if other work waits there: that waits about a slice, not one slice for each ready unit.</para>
/// <para>At most one work item waits in the pool's queue at any time, and one does while a unit is ready: it runs on another
/// thread where the pool has one to spare, so as many units are stepped at once as the pool has threads (one a core). A
/// handler that blocks keeps its thread only: the pool adds one, as for any work item that blocks.</para>
/// <para>The units are linked by a field of their own under a lock of a few instructions, taken once an activation, never
/// for an item: it cannot be full, and nothing is allocated. Idle, there is neither a work item nor a timer.</para>
/// </remarks>
internal sealed class ReadyQueue : IThreadPoolWorkItem
{
    private readonly object _gate = new();
    private PoolDriver? _first;
    private PoolDriver? _last;
    private bool _asked; // under the gate: a work item waits in the pool's queue

    /// <summary>The one of the process: units that share a thread pool share its slices.</summary>
    /// <remarks>Set by the explorer, where each execution is a process of its own.</remarks>
    public static ReadyQueue Shared { get; set; } = new();

    /// <summary>Whether a unit is ready that no thread steps yet; a snapshot.</summary>
    public bool HasReady => Volatile.Read(ref _first) is not null;

    /// <summary>Puts <paramref name="unit"/>, which is not in it and is not being stepped, at the back.</summary>
    public void Add(PoolDriver unit)
    {
        Gate.Enter(_gate);
        Link(unit);
        bool ask = Ask();
        Gate.Exit(_gate);
        if (ask) Queue();
    }

    /// <summary>The same, for a unit whose activation ends here: the thread that has stepped it goes on with the queue.</summary>
    public void AddAgain(PoolDriver unit)
    {
        using Gate.Held held = Gate.Hold(_gate);
        Link(unit);
    }

    void IThreadPoolWorkItem.Execute()
    {
        PoolDriver? unit = Take(begins: true);
        if (unit is null) return;
        long began = MachineClock.Now;
        do
        {
            long until = began + unit.Slice;
            unit.Activate(until);
            long now = MachineClock.Now;
            if (now >= until)
            {
                if (MakesRoom()) return;
                began = now;
            }

            unit = Take(begins: false);
        }
        while (unit is not null);
    }

    private PoolDriver? Take(bool begins)
    {
        Gate.Enter(_gate);
        if (begins) _asked = false;
        PoolDriver? unit = _first;
        bool ask = false;
        if (unit is not null)
        {
            Volatile.Write(ref _first, unit.NextReady);
            unit.NextReady = null;
            if (_first is null) _last = null;
            ask = Ask();
        }

        Gate.Exit(_gate);
        if (ask) Queue();
        return unit;
    }

    /// <summary>The slice is over: true where other work waits for the thread, which then comes back by the pool's queue.</summary>
    private bool MakesRoom()
    {
        long pending = ThreadPool.PendingWorkItemCount;
        Gate.Enter(_gate);
        // The one item may be our own.
        bool others = pending > (_asked ? 1 : 0);
        bool ask = others && Ask();
        Gate.Exit(_gate);
        if (ask) Queue();
        return others;
    }

    // Under the gate.
    private void Link(PoolDriver unit)
    {
        Debug.Assert(Gate.IsHeld(_gate), "The queue belongs to the gate.");
        Debug.Assert(unit.NextReady is null && unit != _last, "A unit is in it at most once.");
        if (_last is null) Volatile.Write(ref _first, unit);
        else _last.NextReady = unit;
        _last = unit;
    }

    // Under the gate.
    private bool Ask()
    {
        Debug.Assert(Gate.IsHeld(_gate), "One work item at a time is asked for.");
        if (_asked || _first is null) return false;
        _asked = true;
        return true;
    }

    private void Queue() => ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
}
