using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>What a stage has done between two snapshots.</summary>
internal sealed record StageInterval(StageSnapshot Now, long Items, long Batches, long Full, long Aged)
{
    public string Name => Now.Done.Name;

    public double MeanBatch => Batches == 0 ? 0 : (double)Items / Batches;
}

/// <summary>What a thread, or a chain of activations, has spent its time with; in seconds.</summary>
internal sealed record DriverInterval(IReadOnlyList<StageInterval> Stages)
{
    public double Working { get; init; }

    public double Starved { get; init; }

    public double Blocked { get; init; }

    public double Waking { get; init; }

    public double? Processor { get; init; }

    public double? Ready { get; init; }

    public long Parks { get; init; }

    public double Total => Working + Starved + Blocked + Waking;

    /// <summary>How it waits; null where that is not known.</summary>
    public Wait? Wait => Stages[0].Now.Wait;

    /// <summary>Whether its waits hold the processor from their beginning to their end.</summary>
    public bool Spins => Wait is BusySpinWait or YieldWait or AdaptiveWait;

    public long Items => Stages.Max(static stage => stage.Items);

    public IReadOnlyList<string> Names => [.. Stages.Select(static stage => stage.Name)];

    public string Text => string.Join('+', Names.Select(static name => $"'{name}'"));

    public bool IsIn(int ring) => Stages[0].Now.Ring is not { } own || own == ring;

    public double Share(double part) => Total <= 0 ? 0 : Math.Clamp(part / Total, 0, 1);
}

/// <summary>What has happened at a ring, in seconds.</summary>
/// <param name="Index">Its place.</param>
/// <param name="Now">What it is at the end.</param>
/// <param name="Blocked">For how long its producers have waited for room, summed, with being woken.</param>
/// <param name="Waking">What of it was being woken, of producers.</param>
/// <param name="Parks">How often producers slept.</param>
internal sealed record RingInterval(int Index, RingStatistics Now, double Blocked, double Waking, long Parks);

/// <summary>The difference of two snapshots.</summary>
internal sealed record PipelineInterval
{
    // Fewer calls of a part, or sizes that are more alike, tell more of chance than of the handler.
    private const long LeastCalls = 4;
    private const double LeastSpread = 2;

    private PipelineInterval(TimeSpan length, PipelineSnapshot now) => (Length, Now) = (length, now);

    /// <summary>The time in which the stages were driven; that between the snapshots where that is not known.</summary>
    public TimeSpan Length { get; }

    public PipelineSnapshot Now { get; }

    public double Seconds => Length.TotalSeconds;

    public IReadOnlyList<DriverInterval> Drivers { get; private init; } = [];

    public IReadOnlyList<RingInterval> Rings { get; private init; } = [];

    /// <summary>Processors that the process has used, on average; null where that is not known.</summary>
    public double? Used { get; private init; }

    public double Paused { get; private init; }

    /// <summary>The intervals that it is made of, where there are snapshots between its ends.</summary>
    public IReadOnlyList<PipelineInterval> Parts { get; init; } = [];

    /// <summary>What a call of the only stage of a driver takes by its batch, as the parts show it; null where they do not.</summary>
    public BatchCostFit? CostOf(StageInterval stage)
    {
        BatchTime[] calls =
        [
            .. Parts.SelectMany(static part => part.Drivers).Where(driver => driver.Stages is [var only] && only.Name == stage.Name)
                .Where(static driver => driver.Stages[0] is { Batches: >= LeastCalls, MeanBatch: >= 1 } && driver.Working > 0)
                .Select(static driver => new BatchTime(driver.Stages[0].MeanBatch, driver.Working / driver.Stages[0].Batches)),
        ];
        bool varies = calls.Length > 0 && calls.Max(static one => one.Items) >= LeastSpread * calls.Min(static one => one.Items);
        return varies ? BatchCostFit.Of(calls, stage.Now.Done.Width) : null;
    }

    public static PipelineInterval Between(PipelineSnapshot? before, PipelineSnapshot after)
    {
        DriverInterval[] drivers =
        [
            .. after.Stages.GroupBy(static stage => stage.Driver ?? stage.Done.Name).Select(group => DriverOf(before, [.. group])),
        ];
        double driven = drivers.Select(static driver => driver.Total).DefaultIfEmpty().Max();
        TimeSpan apart = before is null ? TimeSpan.Zero : after.At - before.At;
        TimeSpan length = driven > 0 ? TimeSpan.FromSeconds(driven) : apart;
        return new PipelineInterval(length, after)
        {
            Drivers = drivers,
            Rings = [.. after.Rings.Select((ring, n) => RingOf(before?.Rings.ElementAtOrDefault(n), ring, n, drivers))],
            Used = after.Processor is { } used && before is { Processor: { } earlier } && apart > TimeSpan.Zero
                ? (used - earlier) / apart
                : null,
            Paused = (after.Paused - (before?.Paused ?? TimeSpan.Zero)).TotalSeconds,
        };
    }

    private static DriverInterval DriverOf(PipelineSnapshot? before, IReadOnlyList<StageSnapshot> stages)
    {
        StageSnapshot now = stages[0];
        StageSnapshot? then = Find(before, now);
        return new DriverInterval([.. stages.Select(stage => StageOf(Find(before, stage)?.Done, stage))])
        {
            Working = Since(then?.Done.Working, now.Done.Working),
            Starved = Since(then?.Done.Starved, now.Done.Starved),
            Blocked = Since(then?.Done.Blocked, now.Done.Blocked),
            Waking = Since(then?.Done.Waking, now.Done.Waking),
            Processor = now.Processor is { } processor ? Since(then?.Processor, processor) : null,
            Ready = now.Ready is { } ready ? Since(then?.Ready, ready) : null,
            Parks = Since(then?.Done.Parks, now.Done.Parks),
        };
    }

    private static StageInterval StageOf(StageStatistics? then, StageSnapshot now) => new(
        now,
        Since(then?.Items, now.Done.Items),
        Since(then?.Batches, now.Done.Batches),
        Since(Closed(then, CloseReason.Full), Closed(now.Done, CloseReason.Full) ?? 0),
        Since(Closed(then, CloseReason.Age), Closed(now.Done, CloseReason.Age) ?? 0));

    private static RingInterval RingOf(RingStatistics? then, RingStatistics now, int index, IReadOnlyList<DriverInterval> drivers)
    {
        double waking = Since(then?.Waking, now.Waking);
        double stages = drivers.Where(driver => driver.Stages[0].Now.Feeds.Contains(index)).Sum(static driver => driver.Blocked);
        return new RingInterval(
            index, now, Since(then?.Blocked, now.Blocked) + waking + stages, waking, Since(then?.Parks, now.Parks));
    }

    private static StageSnapshot? Find(PipelineSnapshot? before, StageSnapshot stage) =>
        before?.Stages.FirstOrDefault(one => one.Done.Name == stage.Done.Name);

    private static long? Closed(StageStatistics? done, CloseReason reason) =>
        done?.CloseReasons is { } reasons && reasons.Count > (int)reason ? reasons[(int)reason] : null;

    // A snapshot's figures are taken one after another: a wait under way may be counted otherwise in the next.
    private static double Since(TimeSpan? then, TimeSpan now) => Math.Max(0, (now - (then ?? TimeSpan.Zero)).TotalSeconds);

    private static long Since(long? then, long now) => Math.Max(0, now - (then ?? 0));
}
