using System.Diagnostics.Metrics;
using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>A pipeline's figures as instruments of <see cref="System.Diagnostics.Metrics"/>, until it is disposed.</summary>
/// <remarks>
/// All of them are observable: they are read when a listener collects, and cost nothing before. Names begin with
/// <c>raceway.</c>; tags say which pipeline, ring and stage.
/// <para><b>Threads</b>: every member by any thread.</para>
/// <para><b>Life</b>: it keeps the pipeline alive; dispose of it with the pipeline. Figures stay readable when the pipeline
/// has ended. All pipelines of a process share one set of instruments, and those of a factory another: what one takes back leaves the figures
/// of the others.</para>
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
    /// <summary>The meter's name: what a listener or an exporter asks for.</summary>
    public const string MeterName = "Raceway.Pipelines";

    private const string PipelineTag = "raceway.pipeline.name";
    private const string StageTag = "raceway.stage.name";
    private const string ThreadTag = "raceway.thread.state";
    private const string SizeTag = "raceway.batch.size";

    private readonly PipelineInstruments _instruments;
    private readonly string _name;
    private readonly Plan _plan;
    private readonly string _planReason;
    private readonly Func<IReadOnlyList<Stage>> _stages;
    private readonly Func<IReadOnlyList<Ring>> _rings;

    internal PipelineMeter(
        string name, Plan plan, string planReason, Func<IReadOnlyList<Stage>> stages, Func<IReadOnlyList<Ring>> rings, IMeterFactory? factory = null)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(name);
        (_name, _plan, _planReason, _stages, _rings) = (name, plan, planReason, stages, rings);
        _instruments = PipelineInstruments.Of(factory);
        _instruments.Pipelines.Add(this);
    }

    /// <summary>Takes the pipeline's figures back: no listener reads them any more. Idempotent. The instruments stay, for other pipelines.</summary>
    public void Dispose() => _instruments.Pipelines.Remove(this);

    // The figure says nothing: what is told are the tags.
    internal Measurement<int> PlanOf() =>
        new(1, Tag(PipelineTag, _name), Tag("raceway.plan", _plan.ToString()), Tag("raceway.plan.reason", _planReason));

    internal IEnumerable<Measurement<TValue>> OfRings<TValue>(Func<Ring, RingStatistics, TValue> figure)
        where TValue : struct =>
        _rings().Select((ring, n) => new Measurement<TValue>(
            figure(ring, ring.GetStatistics()), Tag(PipelineTag, _name), Tag("raceway.ring.index", n)));

    internal IEnumerable<Measurement<TValue>> OfStages<TValue>(Func<StageStatistics, TValue> figure)
        where TValue : struct =>
        _stages().Select(stage => new Measurement<TValue>(figure(stage.GetStatistics()), Tag(PipelineTag, _name), Tag(StageTag, stage.Name)));

    internal IEnumerable<Measurement<TValue>> OfStages<TValue>(string tag, string[] values, Func<Stage, StageStatistics, int, TValue> figure)
        where TValue : struct
    {
        foreach (Stage stage in _stages())
        {
            StageStatistics done = stage.GetStatistics();
            for (int n = 0; n < values.Length; n++)
                yield return new(figure(stage, done, n), Tag(PipelineTag, _name), Tag(StageTag, stage.Name), Tag(tag, values[n]));
        }
    }

    internal IEnumerable<Measurement<int>> Places() =>
        _stages().Select((stage, n) => new Measurement<int>(n, Tag(PipelineTag, _name), Tag(StageTag, stage.Name)));

    // Sizes that have never been are left out: of 32 classes most.
    internal IEnumerable<Measurement<long>> Sizes()
    {
        foreach (Stage stage in _stages())
        {
            IReadOnlyList<long> sizes = stage.GetStatistics().BatchSizes;
            for (int n = 0; n < sizes.Count; n++)
            {
                if (sizes[n] == 0) continue;
                string size = n == 0 ? "1" : $"{1L << n}-{(2L << n) - 1}";
                yield return new(sizes[n], Tag(PipelineTag, _name), Tag(StageTag, stage.Name), Tag(SizeTag, size));
            }
        }
    }

    // Stages without a thread of their own, and systems that account for none, are left out.
    internal IEnumerable<Measurement<double>> ThreadTimes()
    {
        foreach (Stage stage in _stages())
        {
            if (stage.ThreadTimes is not { } times) continue;
            yield return new(times.Processor.TotalSeconds, Tag(PipelineTag, _name), Tag(StageTag, stage.Name), Tag(ThreadTag, "running"));
            yield return new(times.Ready.TotalSeconds, Tag(PipelineTag, _name), Tag(StageTag, stage.Name), Tag(ThreadTag, "ready"));
        }
    }

    private static KeyValuePair<string, object?> Tag(string name, object? value) => new(name, value);
}
