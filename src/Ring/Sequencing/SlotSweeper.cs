namespace Raceway.Rings;

/// <summary>A column that wants its slots back once every gating stage has passed them.</summary>
internal interface ISweepable
{
    /// <summary>Takes back <paramref name="first"/>..<paramref name="last"/>; called once for each sequence.</summary>
    void Sweep(long first, long last);
}

/// <summary>Takes released slots back in batches: clears references, reclaims payload buffers.</summary>
/// <remarks>
/// Runs on whichever thread asks for room, or finds itself idle, under one gate. A producer's limit covers swept slots
/// only, so no slot is swept while it is claimed.
/// </remarks>
internal sealed class SlotSweeper(IEnumerable<ISweepable> columns, long start)
{
    private readonly ISweepable[] _columns = [.. columns];
    private readonly object _gate = new();
    private long _next = start;

    /// <summary>Sweeps everything up to <paramref name="released"/> that has not been swept.</summary>
    public void SweepThrough(long released)
    {
        if (Volatile.Read(ref _next) > released) return;
        using Gate.Held held = Gate.Hold(_gate);
        if (_next > released) return;
        foreach (ISweepable column in _columns) column.Sweep(_next, released);
        Volatile.Write(ref _next, released + 1);
    }

    /// <summary>Sweeps one sequence out of turn, behind one that never will be: the ring has ended.</summary>
    public void SweepAlone(long sequence)
    {
        foreach (ISweepable column in _columns) column.Sweep(sequence, sequence);
    }
}
