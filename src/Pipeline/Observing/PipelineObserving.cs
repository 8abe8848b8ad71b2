using System.Diagnostics.Metrics;

namespace Raceway.Pipelines;

/// <summary>What may be had of a pipeline on request, to observe it.</summary>
/// <example>
/// <code>
/// Console.WriteLine(pipeline.Dump());  // stages, what each follows, and where it is
/// PipelineSnapshot before = pipeline.TakeSnapshot();
/// await Task.Delay(TimeSpan.FromSeconds(1), cancellation);
/// Console.WriteLine(pipeline.Diagnose(since: before));
/// </code>
/// </example>
public static class PipelineObserving
{
    /// <summary>
    /// Publishes the pipeline's figures as instruments of the meter <see cref="PipelineMeter.MeterName"/>, until what is
    /// returned is disposed.
    /// </summary>
    /// <param name="pipeline">The pipeline.</param>
    /// <param name="name">What its measurements are tagged with (<c>raceway.pipeline.name</c>), to tell pipelines apart.</param>
    /// <param name="factory">Makes the meter, and owns it, such as that of a host. Default: the meter of the process.</param>
    /// <exception cref="ArgumentException"><paramref name="name"/> is empty.</exception>
    public static PipelineMeter CreateMeter<T>(this Pipeline<T> pipeline, string name, IMeterFactory? factory = null)
    {
        ArgumentNullException.ThrowIfNull(pipeline);
        return new PipelineMeter(name, pipeline.Plan, pipeline.PlanReason, () => pipeline.Stages, () => pipeline.Rings, factory);
    }

    /// <summary>What the pipeline has done so far: one end of an interval to look at.</summary>
    /// <remarks>
    /// <para><b>Threads</b>: by any thread, at any time, also when the pipeline has ended.</para>
    /// <para><b>Cost</b>: that of the caller alone, some ten microseconds a stage where the system accounts for threads
    /// (Linux); the pipeline does nothing for it.</para>
    /// </remarks>
    public static PipelineSnapshot TakeSnapshot<T>(this Pipeline<T> pipeline)
    {
        ArgumentNullException.ThrowIfNull(pipeline);
        return SnapshotTaking.Of(pipeline);
    }

    /// <summary>Where the pipeline loses its time, see <see cref="Diagnosis"/>.</summary>
    /// <param name="pipeline">The pipeline.</param>
    /// <param name="since">Where to begin; null for its start, what it waited for its first item included.</param>
    /// <exception cref="ArgumentException"><paramref name="since"/> was taken by a clock that is ahead of this one.</exception>
    public static Diagnosis Diagnose<T>(this Pipeline<T> pipeline, PipelineSnapshot? since = null) =>
        Diagnosis.Of(since, pipeline.TakeSnapshot(), nameof(since));

    /// <summary>The pipeline as a person reads it: a line a stage, and the sizes of its batches.</summary>
    public static string Dump<T>(this Pipeline<T> pipeline)
    {
        ArgumentNullException.ThrowIfNull(pipeline);
        return PipelineDump.Of(pipeline);
    }
}
