using System.Diagnostics;
using Raceway.Measuring;
using Raceway.Pipelines;

namespace Raceway.Analysis.Tuning;

/// <summary>What every trial has in common: when its items are due, the looks at its stages, and its reply.</summary>
internal sealed class TrialWatch(TrialRequest request)
{
    // A round of more items than that would not be short, whatever its rate.
    private const int MostPaced = 20_000_000;

    private readonly List<TrialSnapshot> _snapshots = [];
    private readonly long _every = request.Samples == 0
        ? long.MaxValue
        : (long)(request.Seconds * Stopwatch.Frequency / request.Samples);

    private long _next;
    private PipelineSnapshot? _before;
    private IReadOnlyList<TrialFinding> _findings = [];

    /// <summary>Sends the items of a paced round, and waits until all that were sent are through.</summary>
    /// <remarks>
    /// A round that is given up has items under way. The processor time goes on until they are through as well: divided by the items
    /// that were sent it is that of an item, whether or not the rate was held.
    /// </remarks>
    /// <param name="wait">Waits until the items are through, and says when they were.</param>
    public PacedRound Send<TOutlet>(
        TOutlet outlet, double rate, int group, Action<long>? look, Func<long> wait, CancellationToken cancellation)
        where TOutlet : struct, IOutlet
    {
        long items = Math.Min(request.Items, (long)Math.Max(1, rate * request.Seconds));
        long[] due = ArrivalPattern.Parse(request.Arrivals).Due((int)Math.Min(items, MostPaced), rate, request.Seed);
        Placement.StartApart(0);
        Usage usage = Usage.Start();
        double? own = ThreadCpu.Seconds();
        (int sent, int timed, bool fellBehind) = OpenLoop.Run(outlet, due, group, look, cancellation);
        long through = wait();
        double? ownAfter = ThreadCpu.Seconds();
        UsageReading used = usage.Stop(through);
        // Polling and waiting are the generator's own; where the system does not tell, it is a whole processor.
        double polling = ownAfter - own ?? used.Seconds;
        (LatencyHistogram latency, IReadOnlyList<long> windows) = TailWindows.Of(due.AsSpan(0, timed), rate);
        return new PacedRound(sent, fellBehind, latency, windows, used with { CpuSeconds = Math.Max(0, used.CpuSeconds - polling) });
    }

    /// <summary>Looks at the stages, where it is time to.</summary>
    public void Look<T>(Pipeline<T> pipeline, long ticks)
    {
        if (_every == long.MaxValue || ticks < _next) return;
        _next = ticks + _every;
        _snapshots.Add(new TrialSnapshot(ticks / (double)Stopwatch.Frequency, pipeline.GetStatistics()));
    }

    /// <summary>The round begins: what is found counts from here.</summary>
    public void Begin<T>(Pipeline<T> pipeline)
    {
        if (request.Diagnose) _before = pipeline.TakeSnapshot();
    }

    /// <summary>The last item is sent: the end of a pipeline is no part of what it does all day.</summary>
    public void End<T>(Pipeline<T> pipeline)
    {
        if (_before is null) return;
        Diagnosis found = Diagnosis.Between(_before, pipeline.TakeSnapshot());
        _findings = [.. found.Findings.Select(static one => new TrialFinding(
            one.Kind, one.ToString(), [.. one.Remedies.Select(Knobs.Of).OfType<IReadOnlyDictionary<string, string>>()]))];
    }

    /// <summary>What came out.</summary>
    public TrialReply Reply<T>(Pipeline<T> pipeline, long items, UsageReading used, ITrial<T> trial) => new()
    {
        Items = items,
        Seconds = used.Seconds,
        Verified = trial.Check(items),
        CpuSeconds = used.CpuSeconds,
        AllocatedBytes = used.AllocatedBytes,
        Stages = pipeline.GetStatistics(),
        Rings = [.. pipeline.Rings.Select(static ring => ring.GetStatistics())],
        Snapshots = _snapshots,
        Findings = _findings,
    };

    /// <summary>What came out of a paced round.</summary>
    public TrialReply Reply<T>(Pipeline<T> pipeline, PacedRound round, ITrial<T> trial) =>
        Reply(pipeline, round.Sent, round.Used, trial) with
        {
            Latencies = round.Latency.ToPairs(), WindowP99s = round.WindowP99s, FellBehind = round.FellBehind,
        };
}

/// <summary>How a paced round went.</summary>
/// <param name="Sent">Items sent.</param>
/// <param name="FellBehind">Whether it was given up.</param>
/// <param name="Latency">From when each item was due.</param>
/// <param name="WindowP99s">See <see cref="TrialReply.WindowP99s"/>.</param>
/// <param name="Used">What it took, the polling not counted.</param>
internal readonly record struct PacedRound(
    long Sent, bool FellBehind, LatencyHistogram Latency, IReadOnlyList<long> WindowP99s, UsageReading Used);
