using System.Numerics;
using Raceway.Rings;
using static Raceway.Pipelines.FigureText;

namespace Raceway.Pipelines;

/// <summary>The rules of <see cref="Diagnosis"/>: without a clock, without a pipeline.</summary>
/// <remarks>Causes come before what follows of them: a rule that has found one keeps others from naming its symptoms.</remarks>
internal sealed partial class DiagnosisRules(PipelineInterval interval)
{
    // Shares of the time below which a thing is no matter, and above which a driver has no time left.
    private const double Matters = 0.1;
    private const double Busy = 0.8;

    // What a batch should take at least, so that handing it over, some hundred nanoseconds, is no matter; a wake-up takes
    // as long.
    private const double GoodBatchSeconds = 20e-6;

    private const int LeastSlots = 1 << 10;
    private const int MostSlots = 1 << 16;

    private readonly PipelineInterval _interval = interval;
    private readonly List<Finding> _findings = [];

    private bool IsOversubscribed => Has(FindingKind.Oversubscribed);

    public IReadOnlyList<Finding> Find()
    {
        if (_interval.Drivers.All(static driver => driver.Items == 0 && driver.Working < Diagnosis.LeastInterval.TotalSeconds)) return [];
        FindTooFewProcessors();
        FindBlockingHandlers();
        foreach (RingInterval ring in _interval.Rings) FindLockStep(ring);
        foreach (DriverInterval driver in _interval.Drivers)
        {
            foreach (StageInterval stage in driver.Stages) FindNeedlessMinimum(driver, stage);
        }

        FindBottleneck();
        FindDearWakeUps();
        List<Finding> found = [.. _findings.OrderByDescending(static finding => finding.Share)];
        if (Last(found) is { } last) found.Add(last);
        return found;
    }

    // Threads that could run and do not: by the system's account, or where it has none, by how many want to.
    private void FindTooFewProcessors()
    {
        IReadOnlyList<DriverInterval> drivers = _interval.Drivers;
        double seconds = _interval.Seconds;
        DriverInterval worst = drivers.MaxBy(static driver => driver.Ready is { } ready ? driver.Share(ready) : 0)!;
        double ready = drivers.Sum(static driver => driver.Ready ?? 0) / seconds;
        string processors = Processors(_interval.Now.Processors);
        if (worst.Ready is { } most)
        {
            if (worst.Share(most) < 2 * Matters) return;
            // What is used is known of the process only over an interval; else it is what its stages use.
            double used = _interval.Used ?? drivers.Sum(static driver => driver.Processor ?? 0) / seconds;
            bool others = used + ready <= _interval.Now.Processors;
            string evidence =
                $"{worst.Text} was ready to run and had no processor for {Percent(worst.Share(most))} of the time, on {processors}"
                + (others ? "; more of them than this process wants are taken by others." : ".");
            Add(FindingKind.Oversubscribed, worst, worst.Share(most), evidence, others ? [] : FewerThreads());
            return;
        }

        double wanted = drivers.Sum(static driver => driver.Working + (driver.Spins ? driver.Starved + driver.Blocked : 0)) / seconds;
        if (wanted <= _interval.Now.Processors + Matters || _interval.Used < 0.9 * _interval.Now.Processors) return;
        Add(
            FindingKind.Oversubscribed, null, Math.Min(1, 1 - (_interval.Now.Processors / wanted)),
            $"The stages' threads would keep {Number(wanted)} processors busy, and there is {processors}.", FewerThreads());
    }

    private IEnumerable<Remedy> FewerThreads()
    {
        foreach (DriverInterval driver in _interval.Drivers.Where(static driver => driver.Spins && driver.Share(driver.Starved) > 2 * Matters))
        {
            yield return new Remedy(
                Knob.Wait, driver.Wait!, Wait.Park(), $"Let {driver.Text} sleep: it polls for {Percent(driver.Share(driver.Starved))} of the time.",
                driver.Names[0]);
        }

        if (_interval.Now.Plan is Plan.SharedRing or Plan.RingPerStage && _interval.Drivers.Count + 1 > _interval.Now.Processors)
            yield return new Remedy(Knob.Plan, _interval.Now.Plan, Plan.Fused, "Drive the stages by one thread.");
    }

    // Neither side is the slow one: both wait for the other in turns.
    private void FindLockStep(RingInterval ring)
    {
        double blocked = Math.Min(1, ring.Blocked / _interval.Seconds);
        DriverInterval[] drivers = [.. _interval.Drivers.Where(driver => driver.IsIn(ring.Index))];
        if (blocked < Matters || drivers.All(static driver => driver.Items == 0)) return;
        DriverInterval busiest = drivers.MaxBy(Occupied)!;
        if (Occupied(busiest) >= Busy) return;
        int capacity = ring.Now.Capacity;
        string waits =
            $"The producers of ring {ring.Index} waited for room {Percent(blocked)} of the time, while {busiest.Text}, the busiest "
            + $"behind it, had nothing to do for {Percent(busiest.Share(busiest.Starved + busiest.Waking))}";
        DriverInterval[] holding = [.. drivers.Where(driver => HoldsMuchForLong(driver, capacity) && !LosesBySmaller(driver.Stages[0], capacity))];
        foreach (DriverInterval driver in holding)
        {
            StageInterval stage = driver.Stages[0];
            Add(
                FindingKind.BetterUnbatched, driver, blocked,
                $"{waits}: '{stage.Name}' takes {Number(stage.MeanBatch)} of the {capacity} slots at a time, and gives them back after "
                + $"{Time(driver.Working / stage.Batches)}.{Told(stage)}",
                [Smaller(stage, driver.Working / stage.Items, capacity)]);
        }

        // Where threads wait for a processor, each may miss many turns: that is no matter of the ring.
        bool isSure = !IsOversubscribed && drivers.All(static driver => driver.Ready is not null);
        if (holding.Length == 0 && (isSure || capacity < Enough(drivers))) AddTooSmall(ring, drivers, blocked, $"{waits}: capacity {capacity}.");
    }

    private void AddTooSmall(RingInterval ring, IEnumerable<DriverInterval> drivers, double blocked, string evidence)
    {
        int capacity = ring.Now.Capacity;
        int more = Math.Min(MostSlots, Math.Max(Enough(drivers), 8 * capacity));
        Remedy[] remedies = more <= capacity ? []
            : [new Remedy(Knob.Capacity, capacity, more, "Give the ring more slots, so that neither side waits for the other to wake.", ring: ring.Index)];
        _findings.Add(new Finding(FindingKind.RingTooSmall, [], ring.Index, blocked, evidence, remedies));
    }

    private static bool HoldsMuchForLong(DriverInterval driver, int capacity) =>
        driver.Stages is [{ Batches: > 0 } stage]
        && stage.MeanBatch >= Math.Max(2, capacity / 3.0)
        && driver.Working / stage.Batches > 2 * GoodBatchSeconds;

    // Where a call has a price of its own, it is the ring that must hold more calls.
    private bool LosesBySmaller(StageInterval stage, int capacity) =>
        _interval.CostOf(stage) is { Fits: true, Cost: var cost } && cost.RateOf(MostBeside(capacity)) < (1 - Matters) * cost.RateOf(stage.MeanBatch);

    // So many that other batches go round beside it.
    private static int MostBeside(int capacity) => Math.Max(1, capacity / 16);

    // Time that it could not have handled more in. Where it waits for a processor, it is not its choice either.
    private static double Occupied(DriverInterval driver) => driver.Share(
        driver.Working + driver.Blocked + Math.Min(driver.Ready ?? 0, driver.Waking + (driver.Spins ? driver.Starved : 0)));

    // Room for what comes in two milliseconds: a wake-up takes no longer on a machine that is not overloaded.
    private int Enough(IEnumerable<DriverInterval> drivers) => (int)BitOperations.RoundUpToPowerOf2(
        (uint)Math.Clamp(drivers.Max(static driver => driver.Items) / _interval.Seconds * 2e-3, LeastSlots, MostSlots));

    private Remedy Smaller(StageInterval stage, double itemSeconds, int capacity)
    {
        int most = MostBeside(capacity);
        BatchCost? cost = _interval.CostOf(stage) is { Fits: true } fit ? fit.Cost : null;
        int items = cost is null ? (int)Math.Clamp(GoodBatchSeconds / itemSeconds, 0, most) : Math.Min(cost.GoodSize ?? most, most);
        Dispatch now = stage.Now.Dispatch ?? Dispatch.Batch();
        Dispatch to = items < 2 ? Dispatch.Single : now.HasLimits ? now.WithoutMin(items) : Dispatch.Batch(items);
        string sentence = cost is null ? $"Limit its batches to {items}: that is {Time(items * itemSeconds)} of work."
            : $"Limit its batches to {items}: {cost.Describe(items)}.";
        return new Remedy(
            Knob.Dispatch, Known(stage), to,
            items < 2 ? $"Hand over one by one: an item takes {Time(itemSeconds)}, a batch saves nothing." : sentence, stage.Name);
    }

    // What larger and smaller batches would do, as the calls of its parts show it; nothing where there are none to show it.
    private string Told(StageInterval stage) => _interval.CostOf(stage) switch
    {
        null => "",
        { Fits: true, Cost: var cost } => $" By what its calls took, {cost.Describe(Math.Max(1, stage.MeanBatch))}.",
        var unfit => $" What its calls took by their batch {unfit}.",
    };

    // Items that are held back for company which the stage does not need: it could take them as they come.
    private void FindNeedlessMinimum(DriverInterval driver, StageInterval stage)
    {
        if (stage.Now.Dispatch is not { Min: > 1 } dispatch || stage.Batches == 0) return;
        double rate = stage.Items / driver.Total;
        // If each item took what a batch takes, or what is known of a call with one. Of stages that one thread drives, what a batch takes
        // in all of them: more than in this one. Where the age closes them that is too much, too: late ends of sleeps look like work.
        double alone = rate * (_interval.CostOf(stage) is { Fits: true } fit ? fit.Cost.SecondsOf(1) : driver.Working / stage.Batches);
        double aged = (double)stage.Aged / stage.Batches;
        bool hasTime = aged > 0.5 && driver.Share(driver.Working) < 2 * Matters;
        double held = Math.Min((dispatch.Min - 1) / rate, dispatch.MaxAge == Timeout.InfiniteTimeSpan ? double.PositiveInfinity : dispatch.MaxAge.TotalSeconds);
        if ((alone > Busy && !hasTime) || held < 5 * GoodBatchSeconds) return;
        Dispatch to = dispatch.WithoutMin(dispatch.Max);
        _findings.Add(new Finding(
            FindingKind.BetterUnbatched, [stage.Name], null, driver.Share(driver.Starved),
            $"{(driver.Stages.Count == 1 ? $"'{stage.Name}'" : driver.Text)} works {Percent(driver.Share(driver.Working))} of the time, and "
            + $"'{stage.Name}' holds items back for up to {Time(held)} until there are {dispatch.Min}; "
            + $"{Percent(aged)} of its batches were closed by age, of {Number(stage.MeanBatch)} items."
            + (alone > Busy ? "" : $" One by one, it would work {Percent(alone)} of the time at the most.") + Told(stage),
            [new Remedy(Knob.Dispatch, dispatch, to, "Take items as they come.", stage.Name)]));
    }

    private bool Has(FindingKind kind) => _findings.Exists(finding => finding.Kind == kind);

    private void Add(FindingKind kind, DriverInterval? driver, double share, string evidence, IEnumerable<Remedy> remedies) =>
        _findings.Add(new Finding(kind, driver?.Names ?? [], null, share, evidence, [.. remedies]));

    private static object Known(StageInterval stage) => (object?)stage.Now.Dispatch ?? "?";

    private static string Processors(int count) => count == 1 ? "1 processor" : $"{Number(count)} processors";
}
