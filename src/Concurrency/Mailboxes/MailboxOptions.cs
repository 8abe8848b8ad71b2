using Raceway.Rings;

namespace Raceway.Concurrency;

/// <summary>How a mailbox works. Everything has a default.</summary>
/// <typeparam name="T">The message type.</typeparam>
public sealed record MailboxOptions<T>
{
    /// <summary>Its name, in errors, and of its thread where it has one. Default: <c>mailbox</c>.</summary>
    public string Name { get; init; } = "mailbox";

    /// <summary>
    /// The most messages that may wait, those included that are being handled. Then posters wait: back-pressure. Default:
    /// null, no bound: a post never waits, and memory grows with the backlog.
    /// </summary>
    public int? Bound { get; init; }

    /// <summary>
    /// How the handler is run. Default: <see cref="Wait.Async()"/>: the thread pool, in slices of 50 µs
    /// (<see cref="Wait.Async(TimeSpan)"/> for others), with no thread held while there is nothing to do. Any other wait: a
    /// thread of its own that waits so.
    /// </summary>
    public Wait Wait { get; init; } = Wait.Async();

    /// <summary>The most messages of one batch. Default: 1024. Room is given back, and a halt heard, after each.</summary>
    public int MaxBatch { get; init; } = 1024;

    /// <summary>What happens when the handler throws. Default: <see cref="FaultPolicy.Stop"/>: the mailbox is faulted.</summary>
    public FaultPolicy OnFault { get; init; } = FaultPolicy.Stop;

    /// <summary>How long disposal drains before it halts. Default: 5 s.</summary>
    public TimeSpan DrainTimeout { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// The clock of every limit of time: retries, timed posts, requests with a time-out, drains and disposal. Default:
    /// <see cref="TimeProvider.System"/>.
    /// </summary>
    /// <remarks>With another provider these limits pass only as its clock moves; its timers wake what waits for them.</remarks>
    public TimeProvider Time { get; init; } = TimeProvider.System;

    /// <summary>Is offered each message that was accepted and never handled, when the mailbox has ended. Default: null.</summary>
    public Action<T>? OnUnprocessed { get; init; }

    internal void Check()
    {
        ArgumentNullException.ThrowIfNull(Name);
        ArgumentNullException.ThrowIfNull(Wait);
        ArgumentNullException.ThrowIfNull(OnFault);
        ArgumentNullException.ThrowIfNull(Time);
        if (Bound is < 1) throw MailboxErrors.Bound(Bound.Value);
        if (MaxBatch < 1) throw MailboxErrors.MaxBatch(MaxBatch);
        if (DrainTimeout < TimeSpan.Zero && DrainTimeout != Timeout.InfiniteTimeSpan)
            throw MailboxErrors.Timeout(nameof(DrainTimeout), DrainTimeout);
        if (!OnFault.Fits<T>()) throw MailboxErrors.PolicyType(Name, typeof(T));
        if (OnFault.Action == FaultAction.Detach || OnFault.Then?.Action == FaultAction.Detach) throw MailboxErrors.Detach(Name);
    }
}
