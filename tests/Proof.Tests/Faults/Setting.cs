namespace Raceway.Proof.Tests.Faults;

/// <summary>Where the stage in question stands.</summary>
internal enum Place
{
    Only,

    /// <summary>Another stage follows it.</summary>
    First,

    /// <summary>It follows another.</summary>
    Second,

    /// <summary>Another stage beside it.</summary>
    Branch,
}

/// <summary>How the ring of a cell is built. What is not said is the default.</summary>
internal sealed record Setting
{
    public Form Form { get; init; }

    public Place Place { get; init; }

    public Func<World, FaultPolicy> Policy { get; init; } = static _ => FaultPolicy.Stop;

    /// <summary>What the target does to the handler in question; counted from 1.</summary>
    public Action<World, int>? Happens { get; init; }

    public Action<World>? WhenStarted { get; init; }

    public Action<World>? WhenStopped { get; init; }

    public Action<World>? WhenIdle { get; init; }

    public Action<World>? WhenOffered { get; init; }

    /// <summary>What a handler that awaits does before each batch, with its token.</summary>
    public Func<World, AsyncBatch<Parcel>, CancellationToken, Task>? Later { get; init; }

    public TimeSpan IdleTimeout { get; init; } = Timeout.InfiniteTimeSpan;

    public TimeSpan HandlerTimeout { get; init; } = Timeout.InfiniteTimeSpan;

    public TimeSpan ClaimTimeout { get; init; } = Timeout.InfiniteTimeSpan;

    public TimeSpan DrainTimeout { get; init; } = Timeout.InfiniteTimeSpan;

    /// <summary>Buffers up to this length stay with their slots; 0: they go back as soon as they are released.</summary>
    public int KeepLength { get; init; } = 64;

    /// <summary>A handler that never completes keeps its slots: what they hold is not offered, and no buffer comes back.</summary>
    public bool Abandons { get; init; }

    /// <summary>A claim is in nobody's hands any more, and neither are its buffers.</summary>
    public bool LosesClaim { get; init; }

    /// <summary>The ring is closed by and by: blocked producers go on until they are refused.</summary>
    public bool RefusesLate { get; init; }

    /// <summary>What is asked for comes of the end, so the ring is ended before anything is published again.</summary>
    public bool EndsFirst { get; init; }
}
