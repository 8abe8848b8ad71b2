namespace Raceway.Rings;

/// <summary>Why a batch was closed.</summary>
public enum CloseReason
{
    /// <summary>It took everything that was there.</summary>
    Drained,

    /// <summary>It reached the limit of its dispatch; more was waiting.</summary>
    Full,

    /// <summary>Below its minimum, but its oldest item had waited for the maximum age.</summary>
    Age,

    /// <summary>Below its minimum, but nothing more will come: the ring is closing.</summary>
    Stop,

    /// <summary>The next item would have exceeded its weight (<see cref="Dispatch.MaxWeight"/>), or could not be weighed.</summary>
    Weight,

    /// <summary>
    /// It was cut below its limit, and more was waiting. A step ended it: a thread steps others too, and a group of stages keeps what it
    /// carries within the cache; <see cref="Stage.Step"/> and <c>Poller.Poll</c> are told how many. Or the run of a producer's lane ended,
    /// the handler takes its items one by one, or an item that fails was being looked for. A higher limit changes nothing.
    /// </summary>
    Cut,
}
