namespace Raceway.Rings;

/// <summary>The ring takes no more items: it is draining or has stopped.</summary>
public sealed class RingStoppedException : InvalidOperationException
{
    internal RingStoppedException(string message)
        : base(message)
    {
    }
}

/// <summary>A stage of the ring failed for good; the cause is the inner exception.</summary>
public sealed class RingFaultedException : InvalidOperationException
{
    internal RingFaultedException(string? stage, Exception cause)
        : base($"The ring has faulted{(stage is null ? "" : $" in stage '{stage}'")}: {cause.Message}", cause) =>
        Stage = stage;

    /// <summary>The stage that failed, where one did.</summary>
    public string? Stage { get; }
}
