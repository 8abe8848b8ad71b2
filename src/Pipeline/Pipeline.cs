using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>Where pipelines begin.</summary>
public static class Pipeline
{
    /// <summary>Begins the definition of a pipeline over items of <typeparamref name="T"/>.</summary>
    /// <param name="capacity">Slots of its ring: a power of two from 2 to 2³⁰.</param>
    /// <typeparam name="T">The item: class, struct or unmanaged.</typeparam>
    public static PipelineBuilder<T, T> Of<T>(int capacity)
    {
        var source = new Column<T>(new Segment(capacity), new RingOptions<T>());
        return new PipelineBuilder<T, T>(new PipelineDefinition(), source, source);
    }
}
