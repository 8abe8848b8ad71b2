namespace Raceway.Rings;

/// <summary>Why a batch was closed.</summary>
public enum CloseReason
{
    /// <summary>It took everything that was there.</summary>
    Drained,

    /// <summary>It reached its limit; more was waiting.</summary>
    Full,

    /// <summary>Below its minimum, but its oldest item had waited for the maximum age.</summary>
    Age,

    /// <summary>Below its minimum, but nothing more will come: the ring is closing.</summary>
    Stop,

    /// <summary>The next item would have exceeded its weight (<see cref="Dispatch.MaxWeight"/>), or could not be weighed.</summary>
    Weight,
}
