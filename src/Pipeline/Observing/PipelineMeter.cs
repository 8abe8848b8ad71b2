using System.Diagnostics.Metrics;
using System.Runtime.CompilerServices;
using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>A pipeline's figures as instruments of <see cref="System.Diagnostics.Metrics"/>, until it is disposed.</summary>
/// <remarks>
/// All of them are observable: they are read when a listener collects, and cost nothing before. Names begin with
/// <c>raceway.</c>; tags say which pipeline, ring and stage.
/// <para><b>Threads</b>: every member by any thread.</para>
/// <para><b>Life</b>: a listener that has enabled an instrument keeps the pipeline alive; dispose of the meter with it.
/// Figures stay readable when the pipeline has ended.</para>
/// </remarks>
/// <example>
/// <code>
/// using PipelineMeter meter = pipeline.CreateMeter("orders");
/// // Any listener for the meter Raceway.Pipelines reads it now: OpenTelemetry, or
/// // dotnet-counters monitor --name shop --counters Raceway.Pipelines
/// </code>
/// </example>
public sealed class PipelineMeter : IDisposable
{
    /// <summary>The name of every such meter: what a listener or an exporter asks for.</summary>
    public const string MeterName = "Raceway.Pipelines";

    private const string PipelineTag = "raceway.pipeline.name";
    private const string StageTag = "raceway.stage.name";
    private const string StateTag = "raceway.stage.state";
    private const string ThreadTag = "raceway.thread.state";
    private const string ReasonTag = "raceway.batch.close_reason";
    private const string SizeTag = "raceway.batch.size";

    private static readonly string[] s_reasons = [.. Enum.GetNames<CloseReason>().Select(name => name.ToLowerInvariant())];

    private readonly Meter _meter;
    private readonly string _name;
    private readonly Func<IReadOnlyList<Stage>> _stages;
    private readonly Func<IReadOnlyList<Ring>> _rings;

    internal PipelineMeter(
        string name, Plan plan, string planReason, Func<IReadOnlyList<Stage>> stages, Func<IReadOnlyList<Ring>> rings, IMeterFactory? factory = null)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(name);
        _name = name;
        _stages = stages;
        _rings = rings;
        var options = new MeterOptions(MeterName) { Version = typeof(PipelineMeter).Assembly.GetName().Version?.ToString(3) };
        _meter = factory?.Create(options) ?? new Meter(options);
        // The figure says nothing: what is told are the tags.
        _meter.CreateObservableGauge(
            "raceway.pipeline.plan",
            () => new Measurement<int>(1, Tag(PipelineTag, _name), Tag("raceway.plan", plan.ToString()), Tag("raceway.plan.reason", planReason)),
            "{pipeline}", "How the stages are driven, and why; always 1.");
        AddRing();
        AddStage();
        AddTimes();
    }

    /// <summary>Takes the instruments back: no listener reads them any more. Idempotent. Those of a factory's meter stay until the
    /// factory is disposed of.</summary>
    public void Dispose() => _meter.Dispose();

    private void AddRing()
    {
        _meter.CreateObservableUpDownCounter(
            "raceway.ring.capacity", () => OfRings(static (_, done) => done.Capacity), "{slot}", "Slots of the ring.");
        _meter.CreateObservableUpDownCounter(
            "raceway.ring.backlog", () => OfRings(static (_, done) => done.Backlog), "{item}",
            "Items published that not every last stage has passed.");
        _meter.CreateObservableUpDownCounter(
            "raceway.ring.remaining", () => OfRings(static (_, done) => done.Capacity - done.Backlog), "{slot}",
            "Slots that hold no such item.");
        _meter.CreateObservableCounter(
            "raceway.ring.producer.waits", () => OfRings(static (_, done) => done.Waits), "{wait}",
            "Times a producer began to wait for room.");
        _meter.CreateObservableCounter(
            "raceway.ring.producer.parks", () => OfRings(static (_, done) => done.Parks), "{wait}",
            "Those of them in which it slept, or held no thread.");
        var blocked = new RisingTimes(1);
        _meter.CreateObservableCounter(
            "raceway.ring.producer.blocked", () => OfRings((ring, done) => blocked.Of(ring, 0, done.Blocked)), "s",
            "Time in which producers waited for room, summed over them.");
        var waking = new RisingTimes(1);
        _meter.CreateObservableCounter(
            "raceway.ring.producer.waking", () => OfRings((ring, done) => waking.Of(ring, 0, done.Waking)), "s",
            "Time from when a sleeping producer was signalled until it ran, summed over them.");
    }

    private void AddStage()
    {
        // A figure and no tag: where stages come and go, the series of the others stay what they are.
        _meter.CreateObservableGauge("raceway.stage.index", Places, "{stage}", "The stage's place in the pipeline, from 0.");
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
            "raceway.stage.batches", () => OfStages(ReasonTag, s_reasons, static (_, done, n) => done.CloseReasons[n]), "{batch}",
            "Batches handled, by why they were closed.");
        _meter.CreateObservableCounter("raceway.stage.batch.sizes", Sizes, "{batch}", "Batches handled, by size.");
    }

    private void AddTimes()
    {
        string[] states = ["working", "starved", "blocked", "waking"];
        var times = new RisingTimes(states.Length);
        _meter.CreateObservableCounter(
            "raceway.stage.time",
            () => OfStages(StateTag, states, (stage, done, n) => times.Of(stage, n, n switch
            {
                0 => done.Working,
                1 => done.Starved,
                2 => done.Blocked,
                _ => done.Waking,
            })),
            "s",
            "What the stage's driver has spent its time with.");
        _meter.CreateObservableCounter(
            "raceway.stage.thread.time", ThreadTimes, "s", "What the system has accounted to the thread that drives the stage.");
    }

    private void AddCounter(string name, string unit, Func<StageStatistics, long> figure, string description) =>
        _meter.CreateObservableCounter($"raceway.stage.{name}", () => OfStages(figure), unit, description);

    private List<Measurement<TValue>> OfRings<TValue>(Func<Ring, RingStatistics, TValue> figure)
        where TValue : struct =>
        [.. _rings().Select((ring, n) => new Measurement<TValue>(
            figure(ring, ring.GetStatistics()), Tag(PipelineTag, _name), Tag("raceway.ring.index", n)))];

    private List<Measurement<TValue>> OfStages<TValue>(Func<StageStatistics, TValue> figure)
        where TValue : struct =>
        [.. _stages().Select(stage => new Measurement<TValue>(figure(stage.GetStatistics()), Tag(PipelineTag, _name), Tag(StageTag, stage.Name)))];

    private List<Measurement<TValue>> OfStages<TValue>(string tag, string[] values, Func<Stage, StageStatistics, int, TValue> figure)
        where TValue : struct
    {
        List<Measurement<TValue>> all = [];
        foreach (Stage stage in _stages())
        {
            StageStatistics done = stage.GetStatistics();
            for (int n = 0; n < values.Length; n++)
                all.Add(new(figure(stage, done, n), Tag(PipelineTag, _name), Tag(StageTag, stage.Name), Tag(tag, values[n])));
        }

        return all;
    }

    private List<Measurement<int>> Places() =>
        [.. _stages().Select((stage, n) => new Measurement<int>(n, Tag(PipelineTag, _name), Tag(StageTag, stage.Name)))];

    // Sizes that have never been are left out: of 32 classes most.
    private List<Measurement<long>> Sizes()
    {
        List<Measurement<long>> all = [];
        foreach (Stage stage in _stages())
        {
            IReadOnlyList<long> sizes = stage.GetStatistics().BatchSizes;
            for (int n = 0; n < sizes.Count; n++)
            {
                if (sizes[n] == 0) continue;
                string size = n == 0 ? "1" : $"{1L << n}-{(2L << n) - 1}";
                all.Add(new(sizes[n], Tag(PipelineTag, _name), Tag(StageTag, stage.Name), Tag(SizeTag, size)));
            }
        }

        return all;
    }

    // Stages without a thread of their own, and systems that account for none, are left out.
    private List<Measurement<double>> ThreadTimes()
    {
        List<Measurement<double>> all = [];
        foreach (Stage stage in _stages())
        {
            if (stage.ThreadTimes is not { } times) continue;
            all.Add(new(times.Processor.TotalSeconds, Tag(PipelineTag, _name), Tag(StageTag, stage.Name), Tag(ThreadTag, "running")));
            all.Add(new(times.Ready.TotalSeconds, Tag(PipelineTag, _name), Tag(StageTag, stage.Name), Tag(ThreadTag, "ready")));
        }

        return all;
    }

    private static KeyValuePair<string, object?> Tag(string name, object? value) => new(name, value);

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
