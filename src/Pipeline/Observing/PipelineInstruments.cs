using System.Diagnostics.Metrics;
using System.Runtime.CompilerServices;
using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>The instruments of all pipelines: their names, units and what they ask each <see cref="PipelineMeter"/>.</summary>
internal sealed class PipelineInstruments
{
    private static readonly SharedMeter<PipelineInstruments> s_shared =
        new(PipelineMeter.MeterName, static meter => new PipelineInstruments(meter));

    private static readonly string[] s_reasons = [.. Enum.GetNames<CloseReason>().Select(static name => name.ToLowerInvariant())];

    private readonly Meter _meter;

    private PipelineInstruments(Meter meter)
    {
        _meter = meter;
        _meter.CreateObservableGauge(
            "raceway.pipeline.plan", () => Pipelines.Each(static one => one.PlanOf()), "{pipeline}",
            "How the stages are driven, and why; always 1.");
        AddRing();
        AddStage();
        AddTimes();
    }

    /// <summary>The pipelines that they tell of.</summary>
    public Metered<PipelineMeter> Pipelines { get; } = new();

    /// <summary>Those of a factory's meter, or of the process.</summary>
    public static PipelineInstruments Of(IMeterFactory? factory) => s_shared.Of(factory);

    private void AddRing()
    {
        AddRingLevel("capacity", "{slot}", static done => done.Capacity, "Slots of the ring.");
        AddRingLevel("backlog", "{item}", static done => done.Backlog, "Items published that not every last stage has passed.");
        AddRingLevel("remaining", "{slot}", static done => done.Capacity - done.Backlog, "Slots that hold no such item.");
        AddRingCount("waits", static done => done.Waits, "Times a producer began to wait for room.");
        AddRingCount("parks", static done => done.Parks, "Those of them in which it slept, or held no thread.");
        AddRingTime("blocked", static done => done.Blocked, "Time in which producers waited for room, summed over them.");
        AddRingTime(
            "waking", static done => done.Waking, "Time from when a sleeping producer was signalled until it ran, summed over them.");
    }

    private void AddStage()
    {
        // A figure and no tag: where stages come and go, the series of the others stay what they are.
        _meter.CreateObservableGauge(
            "raceway.stage.index", () => Pipelines.Each(static one => one.Places()), "{stage}", "The stage's place in the pipeline, from 0.");
        _meter.CreateObservableUpDownCounter(
            "raceway.stage.lag", () => OfStages(static done => done.Lag), "{item}", "Items published that the stage has not passed.");
        _meter.CreateObservableGauge(
            "raceway.stage.batch.mean", () => OfStages(static done => done.MeanBatch), "{item}", "Items a batch, on average.");
        _meter.CreateObservableGauge(
            "raceway.stage.width", () => OfStages(static done => done.Width), "{item}", "Items that the stage's handler does for the price of one.");
        AddCounter("items", "{item}", static done => done.Items, "Items handled.");
        AddCounter("faults", "{fault}", static done => done.Faults, "Exceptions of the handler.");
        AddCounter("skipped", "{item}", static done => done.Skipped, "Items passed over by policy, dead letters included.");
        AddCounter("dropped", "{item}", static done => done.Dropped, "Items dropped by the handler: skipped, without a fault.");
        AddCounter("dead_lettered", "{item}", static done => done.DeadLettered, "Items handed to a dead-letter sink.");
        AddCounter("retries", "{attempt}", static done => done.Retries, "Attempts beyond the first.");
        AddCounter("tombstones", "{slot}", static done => done.Tombstones, "Given-up claims passed over.");
        AddCounter("split", "{batch}", static done => done.Split, "Batches of a stateless stage that were split between threads.");
        AddCounter("parts", "{part}", static done => done.Parts, "Parts of those batches.");
        AddCounter("waits", "{wait}", static done => done.Waits, "Times the stage's driver began to wait.");
        AddCounter("parks", "{wait}", static done => done.Parks, "Those of them in which it slept, or held no thread.");
        _meter.CreateObservableCounter(
            "raceway.stage.batches",
            () => Pipelines.Each(static one => one.OfStages("raceway.batch.close_reason", s_reasons, static (_, done, n) => done.CloseReasons[n])),
            "{batch}", "Batches handled, by why they were closed.");
        _meter.CreateObservableCounter(
            "raceway.stage.batch.sizes", () => Pipelines.Each(static one => one.Sizes()), "{batch}", "Batches handled, by size.");
    }

    private void AddTimes()
    {
        string[] states = ["working", "starved", "blocked", "waking"];
        var times = new RisingTimes(states.Length);
        _meter.CreateObservableCounter(
            "raceway.stage.time",
            () => Pipelines.Each(one => one.OfStages("raceway.stage.state", states, (stage, done, n) => times.Of(stage, n, n switch
            {
                0 => done.Working,
                1 => done.Starved,
                2 => done.Blocked,
                _ => done.Waking,
            }))),
            "s",
            "What the stage's driver has spent its time with.");
        _meter.CreateObservableCounter(
            "raceway.stage.thread.time", () => Pipelines.Each(static one => one.ThreadTimes()), "s",
            "What the system has accounted to the thread that drives the stage.");
    }

    private void AddRingLevel(string name, string unit, Func<RingStatistics, long> figure, string description) =>
        _meter.CreateObservableUpDownCounter($"raceway.ring.{name}", () => OfRings((_, done) => figure(done)), unit, description);

    private void AddRingCount(string name, Func<RingStatistics, long> figure, string description) =>
        _meter.CreateObservableCounter($"raceway.ring.producer.{name}", () => OfRings((_, done) => figure(done)), "{wait}", description);

    private void AddRingTime(string name, Func<RingStatistics, TimeSpan> time, string description)
    {
        var times = new RisingTimes(1);
        _meter.CreateObservableCounter(
            $"raceway.ring.producer.{name}", () => OfRings((ring, done) => times.Of(ring, 0, time(done))), "s", description);
    }

    private void AddCounter(string name, string unit, Func<StageStatistics, long> figure, string description) =>
        _meter.CreateObservableCounter($"raceway.stage.{name}", () => OfStages(figure), unit, description);

    private IEnumerable<Measurement<TValue>> OfRings<TValue>(Func<Ring, RingStatistics, TValue> figure)
        where TValue : struct =>
        Pipelines.Each(one => one.OfRings(figure));

    private IEnumerable<Measurement<TValue>> OfStages<TValue>(Func<StageStatistics, TValue> figure)
        where TValue : struct =>
        Pipelines.Each(one => one.OfStages(figure));

    /// <summary>
    /// Times as counters: one that is read while a thread is being woken counts as starved what turns out as waking, some
    /// microseconds. A counter that went back by these would be taken for one that began anew.
    /// </summary>
    private sealed class RisingTimes(int kinds)
    {
        private readonly ConditionalWeakTable<object, double[]> _highest = [];

        public double Of(object owner, int kind, TimeSpan time)
        {
            double[] highest = _highest.GetValue(owner, _ => new double[kinds]);
            lock (highest) return highest[kind] = Math.Max(highest[kind], time.TotalSeconds);
        }
    }
}
