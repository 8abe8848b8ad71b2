namespace Raceway.Rings;

/// <summary>How a try or timed call to a producer ended. Anything but <see cref="Done"/>: nothing is claimed.</summary>
public enum ClaimStatus
{
    /// <summary>It is done.</summary>
    Done,

    /// <summary>There is no room.</summary>
    Full,

    /// <summary>There was no room for the whole time.</summary>
    TimedOut,

    /// <summary>The ring takes no more items: it is draining, has stopped, has faulted or was disposed.</summary>
    Stopped,

    /// <summary>The payload is longer than the ring's maximum.</summary>
    TooLarge,
}

/// <summary>Fills a claimed slot from <paramref name="state"/>.</summary>
/// <typeparam name="T">The item type.</typeparam>
/// <typeparam name="TState">What the caller hands through; a span will do.</typeparam>
public delegate void SlotWriter<T, TState>(ref T slot, TState state)
    where TState : allows ref struct;
