using Raceway.Rings;
using static Raceway.Pipelines.FigureText;

namespace Raceway.Pipelines;

/// <content>What is found of the threads that drive the stages.</content>
internal sealed partial class DiagnosisRules
{
    // The system's figures lag by a tick of its scheduler.
    private const double LeastIdleSeconds = 20e-3;

    // What a Channel takes to hand an item over, between threads; a hundredth of the time is no matter.
    private const double ChannelSeconds = 200e-9;

    private const int MostWorkers = 16;

    // Below this a call costs as much as what it does.
    private const double SmallCallSeconds = 0.5e-6;

    // Time in a handler without a processor, and without waiting for one: the handler waits for something else.
    private void FindBlockingHandlers()
    {
        bool isKnown = false;
        foreach (DriverInterval driver in _interval.Drivers)
        {
            if (driver.Processor is not { } processor) continue;
            isKnown = true;
            // A wait that spins has used its time; one that sleeps has used none of it, or a little: then it is less than this.
            double waits = driver.Spins ? 0 : driver.Starved + driver.Blocked + driver.Waking;
            double idle = driver.Total - waits - processor - (driver.Ready ?? 0) - _interval.Paused;
            if (driver.Share(driver.Working) < 0.5 || driver.Share(idle) < 2 * Matters || idle < LeastIdleSeconds) continue;
            Add(
                FindingKind.BlockingHandler, driver, driver.Share(idle),
                $"{driver.Text} was in its handler for {Percent(driver.Share(driver.Working))} of the time, and used no processor for "
                + $"{Percent(Math.Min(1, idle / driver.Working))} of that{AnItem(driver)}: it waits there for something else.",
                Unblocked(driver, idle));
        }

        if (!isKnown) FindBlockingHandlerByTheProcess();
    }

    // Threads have no account here. So it is the stage that takes far longer for an item than all others, in a process that hardly works.
    private void FindBlockingHandlerByTheProcess()
    {
        if (_interval.Used is not { } used || used > 0.8 * _interval.Now.Processors) return;
        DriverInterval[] byTime = [.. _interval.Drivers.OrderByDescending(static driver => driver.Working)];
        if (byTime.Length == 0 || byTime[0].Items == 0) return;
        DriverInterval first = byTime[0];
        double idle = byTime.Sum(static driver => driver.Working) - (used * _interval.Seconds) - _interval.Paused;
        double others = byTime.Skip(1).Where(static driver => driver.Items > 0)
            .Select(static driver => driver.Working / driver.Items).DefaultIfEmpty().Max();
        if (first.Share(first.Working) < 0.5 || first.Share(idle) < 2 * Matters || idle < LeastIdleSeconds) return;
        if (first.Working / first.Items < 5 * others) return;
        Add(
            FindingKind.BlockingHandler, first, first.Share(idle),
            $"{first.Text} was in its handler for {Percent(first.Share(first.Working))} of the time{AnItem(first)}, while the whole process used "
            + $"{Number(used)} of {Processors(_interval.Now.Processors)}: it waits there for something else.",
            Unblocked(first, Math.Min(idle, first.Working)));
    }

    private IEnumerable<Remedy> Unblocked(DriverInterval driver, double idle)
    {
        if (driver.Stages.Count > 1)
        {
            yield return new Remedy(
                Knob.Plan, (object?)_interval.Now.Plan ?? "?", Plan.SharedRing, "Give each stage a thread, so that the others go on meanwhile.");
            yield break;
        }

        StageInterval stage = driver.Stages[0];
        if (_interval.CostOf(stage) is { Fits: true } && Larger(driver, RingOf(driver)) is { } larger) yield return larger;
        if (stage.Now.Dispatch is { CallsBatches: false } dispatch)
        {
            yield return new Remedy(
                Knob.Dispatch, dispatch, Dispatch.Batch(), "Call it once a batch, if it can wait once for all of them.", stage.Name);
        }

        (string name, int workers) = Workers(stage);
        int more = (int)Math.Clamp(workers * Math.Ceiling(driver.Working / Math.Max(1e-9, driver.Working - idle)), 2 * workers, Math.Max(MostWorkers, 2 * workers));
        yield return new Remedy(
            Knob.Workers, workers, more,
            "Let several wait at the same time: share its items, or make its handler async (IAsyncBatchHandler) and start all of a batch at once.", name);
    }

    // The one that all wait for; what a larger batch, a thread of its own or a second worker would bring.
    private void FindBottleneck()
    {
        if (_interval.Drivers.Count == 0) return;
        DriverInterval first = _interval.Drivers.MaxBy(static driver => driver.Share(driver.Working))!;
        double share = first.Share(first.Working);
        RingInterval? ring = _interval.Rings.Where(ring => first.IsIn(ring.Index)).MaxBy(static ring => ring.Blocked);
        double held = ring is null ? 0 : Math.Min(1, ring.Blocked / _interval.Seconds);
        if (share < Busy || held < Matters || first.Items == 0 || IsNamed(first, FindingKind.BlockingHandler)) return;
        string evidence =
            $"{first.Text} works {Percent(share)} of the time{AnItem(first)}, and those before it waited for room {Percent(held)} of it.";
        double batch = first.Working / Math.Max(1, first.Stages.Max(static stage => stage.Batches));
        bool isWhatTheRingHolds = first.Stages.Max(static stage => stage.MeanBatch) >= ring!.Now.Capacity / 8.0;
        if (batch < GoodBatchSeconds && isWhatTheRingHolds && ring.Now.Capacity < Enough([first]))
        {
            AddTooSmall(ring, [first], held, $"{evidence} A batch is at most what the ring holds: capacity {ring.Now.Capacity}, {Time(batch)} of work.");
            return;
        }

        if (first.Stages.Count == 1) evidence += Told(first.Stages[0]);
        if (first.Stages.Count == 1 && Larger(first, ring!.Now.Capacity) is { } larger)
        {
            Add(FindingKind.BetterBatched, first, held, evidence, [larger]);
            return;
        }

        Add(FindingKind.Bottleneck, first, held, evidence, Relieved(first));
    }

    private int RingOf(DriverInterval driver) => _interval.Rings.FirstOrDefault(ring => driver.IsIn(ring.Index))?.Now.Capacity ?? 0;

    private Remedy? Larger(DriverInterval driver, int capacity)
    {
        StageInterval stage = driver.Stages[0];
        if (stage.Now.Dispatch is not { } dispatch || stage.Batches == 0) return null;
        if (!dispatch.HasLimits)
        {
            return driver.Working / stage.Items > SmallCallSeconds ? null : new Remedy(
                Knob.Dispatch, dispatch, Dispatch.Batch(), "Hand over in batches: an item is done in less than telling of it takes.", stage.Name);
        }

        double batch = driver.Working / stage.Batches;
        int max = dispatch.MaxIn(capacity);
        if (stage.Full < 0.5 * stage.Batches || max >= Dispatch.DefaultMax) return null;
        if (_interval.CostOf(stage) is { Fits: true, Cost: var cost }) return Larger(stage, dispatch, cost, capacity);
        if (batch > GoodBatchSeconds / 2) return null;
        int items = (int)Math.Clamp(GoodBatchSeconds / batch * max, max + 1, Dispatch.DefaultMax);
        return new Remedy(
            Knob.Dispatch, dispatch, dispatch.WithMax(items), $"Raise the limit of its batches: most are cut by it, after {Time(batch)} of work.", stage.Name);
    }

    // To what has nearly all that batching can give, but a quarter of the ring at the most: producers fill the rest meanwhile.
    private static Remedy? Larger(StageInterval stage, Dispatch dispatch, BatchCost cost, int capacity)
    {
        int items = Math.Min(Math.Min(cost.GoodSize ?? Dispatch.DefaultMax, Dispatch.DefaultMax), capacity / 4);
        if (items <= dispatch.MaxIn(capacity)) return null;
        double gain = cost.RateOf(items) / cost.RateOf(Math.Max(1, stage.MeanBatch));
        return gain < 1 + Matters ? null : new Remedy(
            Knob.Dispatch, dispatch, dispatch.WithMax(items),
            $"Raise the limit of its batches: {cost.Describe(items)}, {Number(gain)} times the items a second of those of {Number(stage.MeanBatch)}.",
            stage.Name);
    }

    private IEnumerable<Remedy> Relieved(DriverInterval driver)
    {
        bool hasSpare = _interval.Used is { } used && used < _interval.Now.Processors - 0.5;
        if (!hasSpare || IsOversubscribed) yield break;
        if (driver.Stages.Count > 1)
        {
            yield return new Remedy(
                Knob.Plan, (object?)_interval.Now.Plan ?? "?", Plan.SharedRing, "Give each stage a thread: processors are idle.");
            yield break;
        }

        (string name, int workers) = Workers(driver.Stages[0]);
        yield return new Remedy(Knob.Workers, workers, workers + 1, "Share its items among more workers: processors are idle.", name);
    }

    // Where something else is named already, sleeps are what follows of it.
    private void FindDearWakeUps()
    {
        if (IsOversubscribed || Has(FindingKind.RingTooSmall)) return;
        foreach (DriverInterval driver in _interval.Drivers.Where(static driver => driver.Parks > 0))
        {
            double share = driver.Share(driver.Waking);
            if (share < 1.5 * Matters || IsNamed(driver, FindingKind.BetterUnbatched)) continue;
            Add(
                FindingKind.WakeUpsDear, driver, share,
                $"{driver.Text} was being woken for {Percent(share)} of the time: {driver.Parks} sleeps, {Time(driver.Waking / driver.Parks)} each until it ran.",
                Awake(driver));
        }

        foreach (RingInterval ring in _interval.Rings.Where(static ring => ring.Parks > 0))
        {
            double share = Math.Min(1, ring.Waking / _interval.Seconds);
            if (share < 1.5 * Matters) continue;
            _findings.Add(new Finding(
                FindingKind.WakeUpsDear, [], ring.Index, share,
                $"Producers were being woken for {Percent(share)} of the time: {ring.Parks} sleeps, {Time(ring.Waking / ring.Parks)} each.",
                HasRoomToSpin ? [new Remedy(Knob.ProducerWait, "?", Wait.Adaptive(), "Let producers poll for room.", ring: ring.Index)] : []));
        }
    }

    private bool HasRoomToSpin => _interval.Drivers.Count + 1 <= _interval.Now.Processors;

    private IEnumerable<Remedy> Awake(DriverInterval driver)
    {
        if (HasRoomToSpin)
        {
            yield return new Remedy(
                Knob.Wait, (object?)driver.Wait ?? "?", Wait.Adaptive(), "Let it poll: there is a processor for each thread.", driver.Names[0]);
        }
        else if (_interval.Drivers.Count > 1 && _interval.Now.Plan is Plan.SharedRing or Plan.RingPerStage)
        {
            yield return new Remedy(
                Knob.Plan, _interval.Now.Plan, Plan.Fused, "Drive the stages by one thread: then one is woken for all of them.");
        }
    }

    // What is left to say when all else has been looked at.
    private Finding? Last(List<Finding> found)
    {
        long items = _interval.Drivers.Select(static driver => driver.Items).DefaultIfEmpty().Max();
        if (items == 0) return null;
        bool isAtFault = found.Exists(static finding => finding.Kind
            is FindingKind.RingTooSmall or FindingKind.BlockingHandler or FindingKind.BetterUnbatched or FindingKind.BetterBatched);
        double between = _interval.Seconds / items;
        double busiest = _interval.Drivers.Max(static driver => driver.Share(driver.Working));
        string pace = $"{Number(items / _interval.Seconds)} items a second, the busiest thread works {Percent(busiest)} of the time";
        if (!isAtFault && between >= 100 * ChannelSeconds)
        {
            return new Finding(
                FindingKind.ChannelIsEnough, [], null, 0,
                $"{pace}. An item comes every {Time(between)}: handing it over through a Channel, some {Time(ChannelSeconds)}, would be "
                + "no matter beside that.", []);
        }

        return found.Exists(static finding => finding.Remedies.Count > 0) ? null
            : new Finding(FindingKind.NothingToGain, [], null, 0, $"{pace}; no thread waits for what a setting could change.", []);
    }

    private bool IsNamed(DriverInterval driver, FindingKind kind) =>
        _findings.Exists(finding => finding.Kind == kind && finding.Stages.Contains(driver.Names[0]));

    // Workers of a share are stages of their own: name/0, name/1, …
    private (string Name, int Workers) Workers(StageInterval stage)
    {
        int slash = stage.Name.LastIndexOf('/');
        if (slash <= 0 || !int.TryParse(stage.Name.AsSpan(slash + 1), out _)) return (stage.Name, 1);
        string prefix = stage.Name[..(slash + 1)];
        return (stage.Name[..slash], _interval.Drivers.Count(driver => driver.Names[0].StartsWith(prefix, StringComparison.Ordinal)));
    }

    private static string AnItem(DriverInterval driver) => driver.Items == 0 ? "" : $", {Time(driver.Working / driver.Items)} an item";
}
