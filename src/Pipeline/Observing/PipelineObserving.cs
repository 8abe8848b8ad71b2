using System.Diagnostics.Metrics;

namespace Raceway.Pipelines;

/// <summary>What may be had of a pipeline on request, to observe it.</summary>
public static class PipelineObserving
{
    /// <summary>
    /// Publishes the pipeline's figures as instruments of the meter <see cref="PipelineMeter.MeterName"/>, until what is
    /// returned is disposed.
    /// </summary>
    /// <param name="pipeline">The pipeline.</param>
    /// <param name="name">What its measurements are tagged with (<c>raceway.pipeline.name</c>), to tell pipelines apart.</param>
    /// <param name="factory">Makes the meter, and owns it: that of a host. Default: a meter of its own.</param>
    /// <exception cref="ArgumentException"><paramref name="name"/> is empty.</exception>
    public static PipelineMeter CreateMeter<T>(this Pipeline<T> pipeline, string name, IMeterFactory? factory = null)
    {
        ArgumentNullException.ThrowIfNull(pipeline);
        return new PipelineMeter(name, () => pipeline.Stages, () => pipeline.Rings, factory);
    }
}
