namespace Raceway.Rings;

/// <summary>A run of a split call's items, given to one thread. Under the gate of <see cref="SplitCalls"/>.</summary>
/// <param name="first">Its first item.</param>
/// <param name="end">One past its last.</param>
internal struct Part(long first, long end)
{
    public readonly long First = first;
    public readonly long End = end;

    /// <summary>One past the last item that is done; <see cref="First"/> until the thread has returned.</summary>
    public long Reached = first;

    /// <summary>One past the last item that its fault may be about.</summary>
    public long CallEnd = end;

    /// <summary>Items of it that the handler has dropped.</summary>
    public int Dropped;

    /// <summary>What the handler threw.</summary>
    public Exception? Fault;

    public readonly int Count => (int)(End - First);

    /// <summary>Whether all of it is done.</summary>
    public readonly bool IsDone => Reached == End && Fault is null;
}

/// <summary>Items that are done behind one that failed: the stage passes over them when it comes there.</summary>
/// <param name="First">The first.</param>
/// <param name="End">One past the last.</param>
/// <param name="Dropped">How many of them the handler has dropped.</param>
internal readonly record struct DoneAhead(long First, long End, int Dropped);
