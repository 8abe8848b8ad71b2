namespace Raceway.Rings;

/// <content>What a stage has done, for whoever asks.</content>
public abstract partial class Stage
{
    private Waiting? _waiting;

    /// <summary>A snapshot of what it has done.</summary>
    public StageStatistics GetStatistics()
    {
        StallTimes times = _waiting?.Stalls.Read() ?? default;
        return new StageStatistics
        {
            Name = Name,
            Batches = Counters.Read(Counter.Batches),
            Items = Counters.Read(Counter.Items),
            Lag = Lag,
            Faults = Counters.Read(Counter.Faults),
            Skipped = Counters.Read(Counter.Skipped),
            DeadLettered = Counters.Read(Counter.DeadLettered),
            Dropped = Counters.Read(Counter.Dropped),
            Retries = Counters.Read(Counter.Retries),
            Tombstones = Counters.Read(Counter.Tombstones),
            Waits = _waiting?.Waits ?? 0,
            Parks = _waiting?.Parks ?? 0,
            Interrupts = _waiting?.Interrupts ?? 0,
            Working = Clock.Span(times.Working),
            Starved = Clock.Span(times.Starved),
            Blocked = Clock.Span(times.Blocked),
            Waking = Clock.Span(times.Waking),
            CloseReasons = Counters.CloseReasons(),
            BatchSizes = Counters.Sizes(),
        };
    }

    /// <summary>What the system has accounted to the thread that drives it; null where no thread always does, or nobody counts.</summary>
    internal ThreadTimes? ThreadTimes => _waiting?.Account?.Read();

    /// <summary>Whether the two have the same waits and times: one thread drives them.</summary>
    internal bool IsDrivenWith(Stage other) => _waiting is not null && ReferenceEquals(_waiting, other._waiting);

    internal override void Attend(Waiting waiting) => _waiting = waiting;
}
