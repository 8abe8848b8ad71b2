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
    /// Its step could take no more; more was waiting. A thread of the pool, or one that steps several stages, ends a step so that others
    /// get their turn. So does a caller (<see cref="Stage.Step"/>).
    /// </summary>
    Step,
}
